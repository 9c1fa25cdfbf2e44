import Accounts
import Domain
import Postgres
import Time

/// Rows of chunks as columns, for one statement over many of them.
struct ChunkColumns: Sendable {
  var accounts: [AccountID] = []
  var types: [DataType] = []
  var days: [Int32] = []
  var parts: [Int32] = []
  var counts: [Int32] = []
  var firstTimes: [Int64] = []
  var lastTimes: [Int64] = []
  var firstSequences: [Int64] = []
  var lastSequences: [Int64] = []
  var data: [[UInt8]] = []

  /// The bytes of data in all rows.
  private(set) var bytes: Int64 = 0

  mutating func append(_ key: ChunkKey, _ piece: BlockPiece, data framed: [UInt8]) {
    accounts.append(key.account)
    types.append(key.type)
    days.append(key.day)
    parts.append(key.part)
    counts.append(Int32(piece.count))
    firstTimes.append(piece.firstTime.millisecondsSince1970)
    lastTimes.append(piece.lastTime.millisecondsSince1970)
    firstSequences.append(piece.firstSequence)
    lastSequences.append(piece.lastSequence)
    data.append(framed)
    bytes += Int64(framed.count)
  }

  mutating func append(contentsOf other: ChunkColumns) {
    accounts += other.accounts
    types += other.types
    days += other.days
    parts += other.parts
    counts += other.counts
    firstTimes += other.firstTimes
    lastTimes += other.lastTimes
    firstSequences += other.firstSequences
    lastSequences += other.lastSequences
    data += other.data
    bytes += other.bytes
  }
}

/// Advances the numbers of accounts, and prepends their blocks to chunks, or creates the chunks
/// from them. Returns the accounts that were advanced, with their new versions.
///
/// An account whose row has another version than the given one is left as it is, and its blocks are
/// not stored: it has changed since it was read. A chunk with later numbers was written without
/// advancing the account: then the statement fails with a division by zero (22012), and the whole
/// transaction with it.
struct StoreBlocks: Statement {
  struct Row: Sendable {
    let account: AccountID
    let version: RowVersion
  }
  static let sql: SQL<Self> = """
    WITH advanced AS (
      UPDATE sample_accounts
         SET next_seq = sample_accounts.next_seq + change.stored,
             bytes_used = sample_accounts.bytes_used + change.bytes,
             stored_types = sample_accounts.stored_types | change.types
        FROM unnest(\(\.accounts), \(\.versions), \(\.stored), \(\.bytes), \(\.types),
                    \(\.blocks))
               AS change (account_id, version, stored, bytes, types, blocks)
       WHERE sample_accounts.account_id = change.account_id
         AND sample_accounts.xmin = change.version
      RETURNING sample_accounts.account_id, change.blocks),
    stored AS (
      INSERT INTO chunks (account_id, type, day, part, blocks, n, first_ts, last_ts, first_seq,
                          last_seq, data)
      SELECT account_id, type, day, part, 1, n, first_ts, last_ts, first_seq, last_seq, data
        FROM unnest(\(\.rows.accounts), \(\.rows.types), \(\.rows.days), \(\.rows.parts),
                    \(\.rows.counts), \(\.rows.firstTimes), \(\.rows.lastTimes),
                    \(\.rows.firstSequences), \(\.rows.lastSequences), \(\.rows.data))
               AS block (account_id, type, day, part, n, first_ts, last_ts, first_seq, last_seq,
                         data)
       WHERE account_id IN (SELECT account_id FROM advanced)
          ON CONFLICT (account_id, type, day, part) DO UPDATE
         SET blocks = chunks.blocks + 1,
             n = chunks.n + excluded.n,
             first_ts = least(chunks.first_ts, excluded.first_ts),
             last_ts = greatest(chunks.last_ts, excluded.last_ts),
             last_seq = excluded.last_seq,
             data = excluded.data || chunks.data
       WHERE excluded.first_seq > chunks.last_seq
      RETURNING 1)
    SELECT account_id, pg_current_xact_id()::xid
      FROM advanced
     WHERE 1 = 1 / ((SELECT count(*) FROM stored)
                      = (SELECT sum(blocks) FROM advanced))::int4
    """
  static let columns = Columns(Row.init)
  private(set) var accounts: [AccountID] = []
  private(set) var versions: [RowVersion] = []
  private(set) var stored: [Int64] = []
  private(set) var bytes: [Int64] = []
  private(set) var types: [Int64] = []
  private(set) var blocks: [Int32] = []
  private(set) var rows = ChunkColumns()

  /// Adds the changes that a plan makes to its account.
  mutating func append(_ plan: AppendPlan) {
    accounts.append(plan.account)
    versions.append(plan.version)
    stored.append(Int64(plan.storedCount))
    bytes.append(plan.bytes)
    types.append(plan.types.storedBits)
    blocks.append(Int32(plan.stored.accounts.count))
    rows.append(contentsOf: plan.stored)
  }
}

/// Replaces the blocks of whole chunks of accounts that this transaction has locked; fails (22012)
/// if a chunk does not exist.
struct ReplaceChunks: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH replaced AS (
      UPDATE chunks
         SET blocks = 1, n = packed.n, first_ts = packed.first_ts, last_ts = packed.last_ts,
             first_seq = packed.first_seq, last_seq = packed.last_seq, data = packed.data
        FROM unnest(\(\.rows.accounts), \(\.rows.types), \(\.rows.days), \(\.rows.parts),
                    \(\.rows.counts), \(\.rows.firstTimes), \(\.rows.lastTimes),
                    \(\.rows.firstSequences), \(\.rows.lastSequences), \(\.rows.data))
               AS packed (account_id, type, day, part, n, first_ts, last_ts, first_seq, last_seq,
                          data)
       WHERE chunks.account_id = packed.account_id
         AND chunks.type = packed.type
         AND chunks.day = packed.day
         AND chunks.part = packed.part
      RETURNING 1)
    SELECT count(*) / (count(*) = \(\.count))::int4 FROM replaced
    """
  let rows: ChunkColumns
  var count: Int64 { Int64(rows.accounts.count) }
}
