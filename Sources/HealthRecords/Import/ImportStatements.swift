import Bytes
import Domain
import Postgres
import Time

/// The state of an import.
package enum ImportState: Int16, PostgresValue {
  /// The file streams in.
  case receiving = 0
  /// Its samples are merged into the days.
  case merging = 1
  case done = 2
  case failed = 3
}

/// Removes an import of the account whose receiver is lost.
struct SweepLostImport: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM imports
     WHERE account_id = \(\.account)
       AND state = 0
       AND heartbeat_at <= \(\.lostBefore)
    """
  let account: AccountID
  let lostBefore: Instant
}

/// Opens an import; no row if the account has another one in progress, or was deleted.
struct OpenImport: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    INSERT INTO imports (account_id, import_id, state, started_at, heartbeat_at, bytes_total,
                         sealed_report)
    SELECT account_id, \(\.id), 0, \(\.now), \(\.now), \(\.bytesTotal), \(\.report)
      FROM accounts
     WHERE account_id = \(\.account)
       FOR KEY SHARE
        ON CONFLICT (account_id) WHERE state IN (0, 1) DO NOTHING
    RETURNING import_id
    """
  let account: AccountID
  let id: UniversalID
  let now: Instant
  let bytesTotal: Int64?
  let report: [UInt8]
}

/// Stages blocks and moves the heartbeat; 0 if the import was removed meanwhile.
struct StageBlocks: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH receiving AS (
      UPDATE imports
         SET heartbeat_at = \(\.now), bytes_read = \(\.bytesRead), sealed_report = \(\.report)
       WHERE account_id = \(\.account)
         AND import_id = \(\.id)
         AND state = 0
      RETURNING account_id, import_id),
    staged AS (
      INSERT INTO import_blocks (account_id, import_id, number, n, last_ts, data)
      SELECT receiving.account_id, receiving.import_id, block.number, block.n, block.last_ts,
             block.data
        FROM receiving
       CROSS JOIN unnest(\(\.blocks.numbers), \(\.blocks.counts), \(\.blocks.lastTimes),
                         \(\.blocks.data)) AS block (number, n, last_ts, data))
    SELECT count(*) FROM receiving
    """
  let account: AccountID
  let id: UniversalID
  let now: Instant
  let bytesRead: Int64
  let report: [UInt8]
  let blocks: StagedBlocks
}

/// Marks a complete, well-formed file for merging; no row if the import was removed meanwhile.
struct BeginMerging: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    UPDATE imports
       SET state = 1, heartbeat_at = \(\.now), bytes_read = \(\.bytesRead),
           bytes_total = \(\.bytesRead), sealed_report = \(\.report)
     WHERE account_id = \(\.account)
       AND import_id = \(\.id)
       AND state = 0
    RETURNING import_id
    """
  let account: AccountID
  let id: UniversalID
  let now: Instant
  let bytesRead: Int64
  let report: [UInt8]
}

/// Fails an import: removes its staged blocks and keeps the reason; no row if it was removed
/// meanwhile.
struct FailImport: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    WITH swept AS (
      DELETE FROM import_blocks WHERE account_id = \(\.account) AND import_id = \(\.id))
    UPDATE imports
       SET state = 3, worker = NULL, heartbeat_at = \(\.now), bytes_read = \(\.bytesRead),
           sealed_report = \(\.report)
     WHERE account_id = \(\.account)
       AND import_id = \(\.id)
       AND state IN (0, 1)
    RETURNING import_id
    """
  let account: AccountID
  let id: UniversalID
  let now: Instant
  let bytesRead: Int64
  let report: [UInt8]
}

/// Removes an import with all its staged blocks.
struct RemoveImport: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM imports WHERE account_id = \(\.account) AND import_id = \(\.id)
    """
  let account: AccountID
  let id: UniversalID
}

/// An import as its account sees it.
struct ImportOfAccount: Statement {
  struct Row: Sendable {
    let state: ImportState
    let bytesRead: Int64
    let bytesTotal: Int64?
    let report: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT state, bytes_read, bytes_total, sealed_report
      FROM imports
     WHERE account_id = \(\.account)
       AND import_id = \(\.id)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let id: UniversalID
}
