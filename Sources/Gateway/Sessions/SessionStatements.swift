import Domain
import EventLoop
import Postgres
import Privacy
import PublicAPI

/// One row of the sessions, as both statements give it; of a deleted account, ended and of 0.
struct SessionRow: Sendable {
  let token: TokenHash
  let account: Int64
  let kind: Int16
  let bearer: Int16
  let device: Int32?
  let expiresAt: WallTime
  let lastUsedAt: WallTime
  let endedAt: WallTime?
  let change: Int64

  static let columns = Columns {
    (
      token: [UInt8], account: Int64, kind: Int16, bearer: Int16, device: Int32?,
      expiresAt: WallTime, lastUsedAt: WallTime, endedAt: WallTime?, change: Int64
    ) throws(PostgresError) in
    SessionRow(
      token: try TokenHash(stored: token), account: account, kind: kind, bearer: bearer,
      device: device, expiresAt: expiresAt, lastUsedAt: lastUsedAt, endedAt: endedAt,
      change: change)
  }

  /// The session for the table; nil if it has ended.
  var session: Session? {
    guard endedAt == nil else { return nil }
    return Session(
      account: AccountID(rawValue: account), kind: kind == 1 ? .singleUser : .thirdParty,
      bearer: shownBy, expiresAt: expiresAt, lastUsedAt: lastUsedAt)
  }

  private var shownBy: Bearer {
    if let device { return .device(device) }
    return bearer == 2 ? .program : .login
  }
}

extension TokenHash {
  /// Throws `unexpectedResult` for anything but 32 bytes.
  fileprivate init(stored bytes: [UInt8]) throws(PostgresError) {
    do throws(PrivacyError) { try self.init(bytes: bytes.span) } catch {
      throw .unexpectedResult("a token's digest has \(bytes.count) bytes")
    }
  }
}

/// Notes when sessions were last used, and gives the changes after the last one seen, in the order
/// of their commits. A row that somebody else holds is noted another time: waiting for it in some
/// other order than theirs would be a deadlock.
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
  let tokens: [[UInt8]]
  let usedAt: [WallTime]
  let after: Int64
  let countMax: Int64
}

/// The session of one token, for a token that memory does not have.
struct SessionOfToken: Statement {
  typealias Row = SessionRow
  static let sql: SQL<Self> = """
    SELECT token_hash, coalesce(account_id, 0), kind, bearer, device, expires_at, last_used_at,
           ended_at, change
      FROM data4help.sessions
     WHERE token_hash = \(\.token)
    """
  static let columns = SessionRow.columns
  let token: [UInt8]
}

/// Every statement of the gateway, to be checked against the schema.
package enum GatewayStatements {
  /// The statements.
  package static let all: [any Statement.Type] = [FollowSessions.self, SessionOfToken.self]
}
