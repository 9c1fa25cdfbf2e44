import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

// Every change of a session takes the next number of the single clock row, which stays locked until
// the commit. So the numbers are in commit order, and the gateways miss none (GW-3).

struct OpenSession: Statement {
  struct Row: Sendable {
    let lastUsedAt: Instant
    let expiresAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT last_used_at, expires_at
      FROM data4help.sessions
     WHERE account_id = \(\.account)
       AND bearer = 1
       AND ended_at IS NULL
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

struct StartSession: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
    INSERT INTO data4help.sessions
           (token_hash, account_id, kind, started_at, last_used_at, expires_at, change)
    SELECT \(\.token), \(\.account), \(\.kind), \(\.at), \(\.at), \(\.expiresAt), clock.change
      FROM clock
    """
  let token: TokenHash
  let account: AccountID
  let kind: StoredKind
  let at: Instant
  let expiresAt: Instant
}

/// Ends the open session of an account, if there is one; API keys and devices keep their tokens.
struct EndOpenSession: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
    UPDATE data4help.sessions AS session
       SET ended_at = \(\.at), change = clock.change
      FROM clock
     WHERE session.account_id = \(\.account)
       AND session.bearer = 1
       AND session.ended_at IS NULL
    """
  let account: AccountID
  let at: Instant
}

/// Ends the open session of an account, and optionally its API keys and devices; takes a number of
/// the clock for each. By the index on the account.
package struct EndTokens: Statement {
  package static let sql: SQL<Self> = """
    WITH open AS (
           SELECT token_hash, row_number() OVER () AS place
             FROM data4help.sessions
            WHERE account_id = \(\.account)
              AND (bearer = 1 OR \(\.withKeysAndDevices))
              AND ended_at IS NULL),
         clock AS (
           UPDATE data4help.session_clock
              SET change = change + (SELECT count(*) FROM open)
           RETURNING change)
    UPDATE data4help.sessions AS session
       SET ended_at = \(\.at), change = clock.change - open.place + 1
      FROM open, clock
     WHERE session.token_hash = open.token_hash
       AND session.ended_at IS NULL
    """
  let account: AccountID
  let withKeysAndDevices: Bool
  let at: Instant

  /// Ends the tokens of an account; those of API keys and devices only if said.
  package init(account: AccountID, withKeysAndDevices: Bool, at: Instant) {
    self.account = account
    self.withKeysAndDevices = withKeysAndDevices
    self.at = at
  }
}

/// Ends the session of a token, if it is open.
struct EndSession: Statement {
  static let sql: SQL<Self> = """
    WITH clock AS (
           UPDATE data4help.session_clock SET change = change + 1 RETURNING change)
    UPDATE data4help.sessions AS session
       SET ended_at = \(\.at), change = clock.change
      FROM clock
     WHERE session.token_hash = \(\.token)
       AND session.ended_at IS NULL
    """
  let token: TokenHash
  let at: Instant
}

/// Ends sessions that have expired or were idle for too long, up to a batch, with a number of the
/// clock for each; returns how many it found.
struct EndDeadSessions: Statement {
  typealias Row = Int64
  /// The most sessions of one batch: logins and logouts wait until it has committed.
  static let batchMax: Int64 = 1000
  static let sql: SQL<Self> = """
    WITH dead AS (
           SELECT token_hash, row_number() OVER () AS place
             FROM (SELECT token_hash
                     FROM data4help.sessions
                    WHERE ended_at IS NULL
                      AND bearer = 1
                      AND (expires_at <= \(\.now) OR last_used_at <= \(\.idleSince))
                    LIMIT \(\.countMax)) AS chosen),
         clock AS (
           UPDATE data4help.session_clock
              SET change = change + (SELECT count(*) FROM dead)
           RETURNING change),
         ended AS (
           UPDATE data4help.sessions AS session
              SET ended_at = \(\.now), change = clock.change - dead.place + 1
             FROM dead, clock
            WHERE session.token_hash = dead.token_hash
              AND session.ended_at IS NULL
              AND (session.expires_at <= \(\.now) OR session.last_used_at <= \(\.idleSince)))
    SELECT count(*) FROM dead
    """
  let now: Instant
  let idleSince: Instant
  var countMax = Self.batchMax
}

/// Removes sessions that ended long ago, up to a batch; returns how many. By the index of their
/// ends.
struct ForgetSessions: Statement {
  typealias Row = Int64
  /// The most sessions of one batch.
  static let batchMax: Int64 = 1000
  static let sql: SQL<Self> = """
    WITH old AS (
           SELECT token_hash
             FROM data4help.sessions
            WHERE ended_at <= \(\.endedBefore)
            LIMIT \(\.countMax)),
         forgotten AS (
           DELETE FROM data4help.sessions
            WHERE token_hash IN (SELECT token_hash FROM old)
           RETURNING token_hash)
    SELECT count(*) FROM forgotten
    """
  let endedBefore: Instant
  var countMax = Self.batchMax
}
