import Domain
import Postgres
import ServiceKit
import Time

/// The unanswered requests of one third party to one person: twenty at most, so that no person is
/// flooded with requests, or asked repeatedly until they accept.
enum PendingRequests {
  /// The maximum for one third party and one person at the same time.
  static let countMax: Int64 = 20

  /// Checks that one more request is allowed, and reserves it to the end of the transaction.
  ///
  /// - Throws: `rateLimited` until the first pending request expires or is answered.
  static func makeRoom(
    of thirdParty: AccountID, to person: AccountID, at now: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let (_, expiring) = try await transaction.run(
      HoldAsking(account: person, thirdParty: thirdParty),
      PendingBetween(account: person, thirdParty: thirdParty, countMax: countMax))
    guard expiring.count >= countMax, let first = expiring.first else { return }
    let wait = first.flooredToMilliseconds.seconds(since: now)
    throw .rateLimited(retryAfter: max(1, Int(wait.rounded(.up))))
  }
}

/// Serialises the requests of a third party to a person, to the end of the transaction.
struct HoldAsking: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM pg_advisory_xact_lock(\(\.lockClass), \(\.number))
    """
  let lockClass = AdvisoryLockClass.asking.rawValue
  /// The number of the pair; pairs that share it wait for each other needlessly.
  let number: Int32

  init(account: AccountID, thirdParty: AccountID) {
    number = Int32(truncatingIfNeeded: account.rawValue &* 31 &+ thirdParty.rawValue)
  }
}

/// When the pending requests to this person expire, earliest first.
struct PendingBetween: Statement {
  typealias Row = Instant
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
