import Accounts
import Domain
import EventLoop
import JSON
import Operations
import Postgres
import ServiceKit
import Time

/// Notifies people at most once a day that their oldest samples were dropped (DAT-5): the response
/// to an upload reports it too, but only to a device.
struct RoomNotices: Sendable {
  private let environment: Environment
  private let database: Database
  private let notices: Notices
  private let log: Log
  private let bytesMax: Int64

  init(environment: Environment, database: Database, notices: Notices, log: Log, bytesMax: Int64) {
    self.environment = environment
    self.database = database
    self.notices = notices
    self.log = log
    self.bytesMax = bytesMax
  }

  /// Notifies the owner in the transaction that dropped this number of samples.
  func notify(
    _ account: AccountID, dropped: Int, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    guard dropped > 0 else { return }
    let now = environment.now()
    let notified = try await transaction.runOne(
      ClaimRoomNotice(account: account, now: now, before: now - Self.pause))
    guard notified != nil else { return }
    try await notices.add(
      Notice(.room, to: account) { writer in
        writer.field("dropped", dropped)
        writer.field("bytesMax", bytesMax)
      }, in: transaction)
  }

  /// Notifies the owner after an upload that shared its transaction with others. The upload is
  /// acknowledged even if this fails: the next upload that drops samples tries again.
  func notify(_ account: AccountID, dropped: Int) async {
    guard dropped > 0 else { return }
    do throws(ApplicationError) {
      try await database.transaction { (transaction) throws(ApplicationError) in
        try await notify(account, dropped: dropped, in: transaction)
      }
      notices.announce()
    } catch {
      log.failure(
        "write notice of dropped samples failed", error, level: .warning,
        .number("account_id", account.rawValue))
    }
  }

  private static let pause = Duration.seconds(86_400)
}

/// Records that the account is notified of dropped samples now; no row if it was notified recently.
/// By the primary key.
struct ClaimRoomNotice: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE sample_accounts
       SET room_notified_at = \(\.now)
     WHERE account_id = \(\.account)
       AND (room_notified_at IS NULL OR room_notified_at < \(\.before))
    RETURNING account_id
    """
  let account: AccountID
  let now: Instant
  let before: Instant
}
