import Cryptography
import Domain
import Postgres
import PublicAPI
import ServiceKit
import Time

/// Registers a token that is not a login: it does not expire, neither by age nor by inactivity.
struct StartToken: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
    INSERT INTO data4help.sessions
           (token_hash, account_id, kind, bearer, device, started_at, last_used_at, expires_at,
            change)
    SELECT \(\.token), \(\.account), \(\.kind), \(\.bearer), \(\.device), \(\.at), \(\.at),
           \(\.expiresAt), clock.change
      FROM clock
    """
  let token: TokenHash
  let account: AccountID
  let kind: StoredKind
  let bearer: StoredBearer
  let device: Int32?
  let at: Instant
  /// The first moment of the year 9999: a time that every program can parse.
  var expiresAt = Instant(microsecondsSince1970: 253_370_764_800_000_000)
}

/// Locks an account while something is added to it, or its sessions end.
struct LockAccount: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       FOR NO KEY UPDATE
    """
  let account: AccountID
}

/// Whether a session has ended; no row for one that is unknown.
struct SessionHasEnded: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT ended_at IS NOT NULL FROM data4help.sessions WHERE token_hash = \(\.session)
    """
  let session: TokenHash
}

extension Transaction<ApplicationError> {
  /// Locks the caller's account before something that outlives the request is added to it: a key, a
  /// device, a subscription.
  ///
  /// A change of the password locks the account, ends its sessions and deletes what they added.
  /// Something that a waiting call of an ended session added afterwards would never end.
  ///
  /// - Throws: `unauthenticated` if the account was deleted, or the session has ended meanwhile or
  ///   is unknown; `unavailable`.
  func lockAccount(of caller: Identity) async throws(ApplicationError) {
    // Two statements: a single one would read the session as it was before the wait for the lock.
    let (accounts, hasEnded) = try await run(
      LockAccount(account: caller.account), SessionHasEnded(session: caller.session))
    guard !accounts.isEmpty, hasEnded.first == false else { throw .unauthenticated() }
  }
}
