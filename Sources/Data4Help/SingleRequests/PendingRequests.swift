import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// What one third party has asked one person and has no answer to yet: twenty at most, so that
/// nobody is flooded with requests, and asked until they accept to have peace.
enum PendingRequests {
  /// Of one third party to one person at the same time.
  static let countMax: Int64 = 20

  /// Makes sure that one more may be asked, and holds that to the end of the transaction.
  ///
  /// - Throws: 429 until the first of them expires, if nobody answers before.
  static func makeRoom(
    of thirdParty: AccountID, to person: AccountID, at now: Timestamp,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (_, expiring) = try await transaction.run(
      HoldAsking(account: person, thirdParty: thirdParty),
      PendingBetween(account: person, thirdParty: thirdParty, countMax: countMax))
    guard expiring.count >= countMax, let first = expiring.first else { return }
    let wait = first.timestamp.seconds(since: now)
    throw .rateLimited(retryAfter: max(1, Int(wait.rounded(.up))))
  }
}

/// Keeps the third party from asking this person twice at once, to the end of the transaction.
struct HoldAsking: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM pg_advisory_xact_lock(\(\.lockClass), \(\.number))
    """
  let lockClass = AdvisoryLockClass.asking.rawValue
  /// Of the pair; others that share it wait for each other needlessly.
  let number: Int32

  init(account: AccountID, thirdParty: AccountID) {
    number = Int32(truncatingIfNeeded: account.rawValue &* 31 &+ thirdParty.rawValue)
  }
}

/// When the requests expire that wait for this person's answer, the first of them first.
struct PendingBetween: Statement {
  typealias Row = WallTime
  static let sql: SQL<Self> = """
    SELECT answer_by
      FROM data4help.single_requests
     WHERE account_id = \(\.account)
       AND third_party_id = \(\.thirdParty)
       AND status = 1
       AND NOT is_check_in
     ORDER BY answer_by
     LIMIT \(\.countMax)
    """
  let account: AccountID
  let thirdParty: AccountID
  let countMax: Int64
}
