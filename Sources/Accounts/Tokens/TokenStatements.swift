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

/// Locks an account while something of limited number is added to it.
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
