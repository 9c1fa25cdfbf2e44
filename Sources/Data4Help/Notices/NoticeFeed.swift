import Domain
import HTTP
import JSON
import Operations
import Postgres
import Privacy
import Services

/// The notices of accounts as their streams take them.
struct NoticeFeed: EventSource {
  /// Notices that one stream is given at a time.
  static let countMax: Int64 = 100

  let surroundings: Surroundings
  /// Whether alarms alone are given, as to devices: then nothing counts as taken by the person.
  var isOfAlarms = false

  func heads(of accounts: [AccountID]) async throws(Problem) -> [EventHead] {
    try await surroundings.database.rows(NoticeHeads(accounts: accounts))
  }

  func pages(
    behind positions: [EventPosition]
  ) async throws(Problem) -> [Result<EventPage, Problem>] {
    let rows = try await surroundings.database.rows(
      NoticesBehind(
        accounts: positions.map(\.account), after: positions.map(\.after),
        countMax: Self.countMax))
    let keys = try await surroundings.accountKeys.keys(of: Array(Set(positions.map(\.account))))
    var pages = positions.map { EventPage(next: $0.after) }
    for row in rows {
      pages[row.place].next = row.number
      if isOfAlarms, row.kind != .alarm { continue }
      let account = positions[row.place].account
      guard let key = keys[account] else { continue }
      append(row, of: account, under: key, to: &pages[row.place].bytes)
    }
    return zip(positions, pages).map { position, page in
      do throws(Problem) {
        _ = try keys.key(of: position.account)
        return .success(page)
      } catch { return .failure(error) }
    }
  }

  /// Writes a notice. One that can't be opened never can: it must hold up none of those behind it,
  /// which may be alarms.
  private func append(
    _ row: NoticesBehind.Row, of account: AccountID, under key: SealingKey,
    to bytes: inout [UInt8]
  ) {
    do throws(Problem) {
      let payload = try NoticeRoutes.payload(row.sealedPayload, row.number, of: account, with: key)
      var writer = JSONWriter()
      NoticeRoutes.write(
        NoticeRow(
          number: row.number, kind: row.kind, createdAt: row.createdAt, isRead: row.isRead,
          sealedPayload: []), payload, to: &writer)
      ServerSentEvent.append(row.kind.word, id: row.number, data: writer.bytes, to: &bytes)
    } catch {
      surroundings.log.error(
        "a notice can't be read, and no stream gets it",
        [.number("account_id", account.rawValue), .number("number", row.number)])
    }
  }

  func note(taken positions: [EventPosition]) async throws(Problem) {
    if isOfAlarms { return }
    _ = try await surroundings.database.effect(
      NotePushed(accounts: positions.map(\.account), numbers: positions.map(\.after)))
  }
}
