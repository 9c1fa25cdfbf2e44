import Cryptography
import Domain
import Postgres
import PublicAPI
import ServiceKit
import Time

/// A row of the sessions, as both statements return it. For a deleted account the session has ended
/// and the account is 0.
struct SessionRow: Sendable {
  let token: TokenHash
  let account: AccountID
  let kind: StoredKind
  let bearer: StoredBearer
  let device: Int32?
  let expiresAt: Instant
  let lastUsedAt: Instant
  let endedAt: Instant?
  let change: Int64

  static let columns = Columns(SessionRow.init)

  /// The session for the table; nil if it has ended.
  var session: Session? {
    guard endedAt == nil else { return nil }
    return Session(
      account: account, kind: kind.kind, bearer: shownBy, expiresAt: expiresAt,
      lastUsedAt: lastUsedAt)
  }

  private var shownBy: Bearer {
    if let device { return .device(device) }
    return bearer == .program ? .program : .login
  }
}

/// Records when sessions were last used, and returns the changes after the last one seen, in commit
/// order. A row that another transaction has locked is recorded at a later poll: waiting for it
/// could deadlock, because that transaction may lock rows in a different order.
struct FollowSessions: Statement {
  typealias Row = SessionRow
  static let sql: SQL<Self> = """
    WITH used AS (
      SELECT s.token_hash, m.used_at
        FROM unnest(\(\.tokens), \(\.usedAt)) AS m (token_hash, used_at)
        JOIN data4help.sessions s ON s.token_hash = m.token_hash AND s.last_used_at < m.used_at
         FOR UPDATE OF s SKIP LOCKED
    ), marked AS (
      UPDATE data4help.sessions s SET last_used_at = used.used_at
        FROM used WHERE s.token_hash = used.token_hash
    )
    SELECT token_hash, coalesce(account_id, 0), kind, bearer, device, expires_at, last_used_at,
           ended_at, change
      FROM data4help.sessions
     WHERE change > \(\.after)
     ORDER BY change LIMIT \(\.countMax)
    """
  static let columns = SessionRow.columns
  let tokens: [TokenHash]
  let usedAt: [Instant]
  let after: Int64
  let countMax: Int64
}

/// The session of a token that is not in memory.
struct SessionOfToken: Statement {
  typealias Row = SessionRow
  static let sql: SQL<Self> = """
    SELECT token_hash, coalesce(account_id, 0), kind, bearer, device, expires_at, last_used_at,
           ended_at, change
      FROM data4help.sessions
     WHERE token_hash = \(\.token)
    """
  static let columns = SessionRow.columns
  let token: TokenHash
}

/// All statements of the gateway, checked against the schema.
package enum GatewayStatements {
  /// The statements.
  package static let all: [any Statement.Type] = [
    FollowSessions.self, SessionOfToken.self, MonitoredAccountChanges.self, NoteSpectators.self,
  ]
}
