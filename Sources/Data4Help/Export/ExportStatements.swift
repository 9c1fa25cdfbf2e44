import Bytes
import Domain
import HealthRecords
import Postgres
import Time

/// The statements of archives, for the check against the schema.
package enum ExportStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    SessionsOfAccount.self, ImportsOfAccount.self, AccountIsThere.self,
  ]
}

/// A page of an account's sessions, open and ended, newest first. By the index on the account,
/// whose ended sessions are deleted after a while.
struct SessionsOfAccount: Statement {
  struct Row: Sendable {
    let change: Int64
    let bearer: Int16
    let device: Int32?
    let startedAt: Instant
    let lastUsedAt: Instant
    let expiresAt: Instant
    let endedAt: Instant?
  }
  static let sql: SQL<Self> = """
    SELECT change, bearer, device, started_at, last_used_at, expires_at, ended_at
      FROM data4help.sessions
     WHERE account_id = \(\.account)
       AND change < \(\.before)
     ORDER BY change DESC
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let before: Int64
  let limit: Int
}

/// A page of an account's imports, oldest first: a range of the primary key.
struct ImportsOfAccount: Statement {
  struct Row: Sendable {
    let id: UniversalID
    let state: ImportState
    let startedAt: Instant
    let bytesRead: Int64
    let bytesTotal: Int64?
    let report: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT import_id, state, started_at, bytes_read, bytes_total, sealed_report
      FROM data4help.imports
     WHERE account_id = \(\.account)
       AND import_id > \(\.after)
     ORDER BY import_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let after: UniversalID
  let limit: Int
}

/// A row if the account exists.
struct AccountIsThere: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT true FROM data4help.accounts WHERE account_id = \(\.account)
    """
  let account: AccountID
}
