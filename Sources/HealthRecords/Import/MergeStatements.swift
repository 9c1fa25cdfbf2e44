import Bytes
import Domain
import Postgres
import Time

/// Leases the oldest waiting import, or one whose worker is lost.
struct LeaseImport: Statement {
  struct Row: Sendable {
    let account: AccountID
    let id: UniversalID
  }
  static let sql: SQL<Self> = """
    UPDATE imports
       SET worker = \(\.worker), heartbeat_at = \(\.now)
     WHERE (account_id, import_id) = (
             SELECT account_id, import_id
               FROM imports
              WHERE state = 1
                AND (worker IS NULL OR worker = \(\.worker) OR heartbeat_at <= \(\.lostBefore))
              ORDER BY started_at
              LIMIT 1
                FOR UPDATE SKIP LOCKED)
    RETURNING account_id, import_id
    """
  static let columns = Columns(Row.init)
  let worker: UniversalID
  let now: Instant
  let lostBefore: Instant
}

/// Locks an import that this worker still leases; no row if another worker leased it.
struct LockLeasedImport: Statement {
  struct Row: Sendable {
    let bytesRead: Int64
    let report: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT bytes_read, sealed_report
      FROM imports
     WHERE account_id = \(\.account)
       AND import_id = \(\.id)
       AND state = 1
       AND worker = \(\.worker)
       FOR UPDATE
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let id: UniversalID
  let worker: UniversalID
}

/// The staged blocks with the newest samples, of about as many samples as one merge stores.
///
/// From the newest to the oldest: if the account's room is too small, the remaining older samples
/// are dropped as soon as they are merged, and no newer one ever is.
struct NewestStagedBlocks: Statement {
  struct Row: Sendable {
    let number: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT number, data
      FROM (SELECT number, last_ts, data,
                   sum(n) OVER (ORDER BY last_ts DESC, number) - n AS newer
              FROM import_blocks
             WHERE account_id = \(\.account)
               AND import_id = \(\.id)) AS staged
     WHERE newer < \(\.samplesMax)
     ORDER BY last_ts DESC, number
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let id: UniversalID
  let samplesMax: Int64
}

/// Removes merged blocks and stores the progress of the import.
struct NoteMerged: Statement {
  static let sql: SQL<Self> = """
    WITH merged AS (
      DELETE FROM import_blocks
       WHERE account_id = \(\.account)
         AND import_id = \(\.id)
         AND number = ANY (\(\.numbers)))
    UPDATE imports
       SET state = \(\.state), heartbeat_at = \(\.now), sealed_report = \(\.report)
     WHERE account_id = \(\.account)
       AND import_id = \(\.id)
    """
  let account: AccountID
  let id: UniversalID
  let numbers: [Int32]
  let state: ImportState
  let now: Instant
  let report: [UInt8]
}

/// Removes imports whose receiver is lost; their clients never got a response.
struct SweepLostImports: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM imports WHERE state = 0 AND heartbeat_at <= \(\.lostBefore)
    """
  let lostBefore: Instant
}

/// Deletes imports that ended long ago.
struct ForgetImports: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM imports WHERE state IN (2, 3) AND started_at <= \(\.before)
    """
  let before: Instant
}

/// The statements of imports, for comparing them with the schema.
package enum ImportStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    SweepLostImport.self, OpenImport.self, StageBlocks.self, BeginMerging.self, FailImport.self,
    RemoveImport.self, ImportOfAccount.self, LeaseImport.self, LockLeasedImport.self,
    NewestStagedBlocks.self, NoteMerged.self, SweepLostImports.self, ForgetImports.self,
  ]
}
