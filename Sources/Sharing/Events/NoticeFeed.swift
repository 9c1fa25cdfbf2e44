import Accounts
import Domain
import EventLoop
import JSON
import Operations
import Postgres
import ServiceKit
import Time
import Web

/// The notices of accounts as a source of their streams.
struct NoticeFeed: EventSource {
  /// The maximum number of notices that one stream gets at a time.
  static let countMax: Int64 = 100

  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let locales: AccountLocales
  private let log: Log
  /// Whether only alarms are sent, as to devices: then no notice counts as delivered to the person.
  private let isOfAlarms: Bool
  private let requests: any NoticeRequestSource

  /// Notices of the accounts of this database.
  init(
    environment: Environment, database: Database, accountKeys: AccountKeys, locales: AccountLocales,
    log: Log,
    requests: any NoticeRequestSource,
    isOfAlarms: Bool = false
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.locales = locales
    self.log = log
    self.isOfAlarms = isOfAlarms
    self.requests = requests
  }

  func heads(of accounts: [AccountID]) async throws(ApplicationError) -> [EventHead] {
    try await database.rows(NoticeHeads(accounts: accounts))
  }

  func pages(
    after positions: [EventPosition]
  ) async throws(ApplicationError) -> [Result<EventPage, ApplicationError>] {
    let rows = try await database.rows(
      NoticesAfter(
        accounts: positions.map(\.account), after: positions.map(\.after),
        countMax: Self.countMax))
    let keys = try await accountKeys.keys(of: Array(Set(positions.map(\.account))))
    var pages = positions.map { EventPage(next: $0.after) }
    var opened: [(row: NoticesAfter.Row, notice: DecodedNotice)] = []
    for row in rows {
      pages[row.input].next = row.number
      if isOfAlarms, row.kind != .alarm { continue }
      let account = positions[row.input].account
      guard let key = keys[account] else { continue }
      // A notice that can't be opened is skipped, so that it does not delay later ones, which may
      // be alarms: it could not be opened later either.
      let notice = DecodedNotice.open(
        row.sealedPayload, row.kind, row.number, of: account, with: key, log: log)
      if let notice { opened.append((row, notice)) }
    }
    let found = await find(opened.map { $0.notice })
    for (row, notice) in opened {
      append(row, notice, about: notice.request(in: found), to: &pages[row.input].bytes)
    }
    return zip(positions, pages).map { position, page in
      do throws(ApplicationError) {
        _ = try keys.key(of: position.account)
        return .success(page)
      } catch { return .failure(error) }
    }
  }

  /// The requests of notices; none if the look-up fails, which is logged: alarms do not wait for
  /// it.
  private func find(_ notices: [DecodedNotice]) async -> [DataRequestID: NoticeRequest] {
    do throws(ApplicationError) { return try await requests.find(notices) } catch {
      log.failure("look up requests of notices failed", error, level: .warning)
      return [:]
    }
  }

  private func append(
    _ row: NoticesAfter.Row, _ notice: DecodedNotice, about request: NoticeRequest?,
    to bytes: inout [UInt8]
  ) {
    let text = notice.text(
      for: locales.locale(row.locale), about: request,
      at: environment.now().flooredToMilliseconds)
    var writer = JSONWriter()
    NoticeRoutes.write(
      notice, about: request, createdAt: row.createdAt, isRead: row.isRead, text: text,
      to: &writer)
    ServerSentEvent.append(row.kind.apiName, id: row.number, data: writer.bytes, to: &bytes)
  }

  func note(taken positions: [EventPosition]) async throws(ApplicationError) {
    if isOfAlarms { return }
    _ = try await database.effect(
      NotePushed(accounts: positions.map(\.account), numbers: positions.map(\.after)))
  }
}

/// The number of the last notice of each of these accounts that has one.
struct NoticeHeads: Statement {
  typealias Row = EventHead
  static let sql: SQL<Self> = """
    SELECT account_id, count
      FROM data4help.notice_heads
     WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = EventHead.columns
  let accounts: [AccountID]
}
