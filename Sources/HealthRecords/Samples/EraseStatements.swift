import Domain
import Postgres
import Time

/// Erases the chunks that lie entirely in a period; returns the numbers of erased samples and
/// bytes.
///
/// A range of the primary key for each type: its cost depends on the erased rows alone.
struct EraseChunks: Statement {
  struct Row: Sendable {
    let samples: Int64
    let bytes: Int64
  }
  static let sql: SQL<Self> = """
    WITH erased AS (
      DELETE FROM chunks
       WHERE account_id = \(\.account)
         AND type = ANY (\(\.types))
         AND day BETWEEN \(\.period.firstDay) AND \(\.period.lastDay)
         AND first_ts >= \(\.period.from)
         AND last_ts < \(\.period.to)
      RETURNING n, octet_length(data) AS bytes)
    SELECT coalesce(sum(n), 0)::int8, coalesce(sum(bytes), 0)::int8 FROM erased
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let period: StoredPeriod
}

/// Replaces the blocks of whole chunks, possibly under another part; fails (22012) if a chunk does
/// not exist.
struct RewriteChunks: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH rewritten AS (
      UPDATE chunks
         SET part = left_over.new_part, blocks = left_over.blocks, n = left_over.n,
             first_ts = left_over.first_ts, last_ts = left_over.last_ts,
             first_seq = left_over.first_seq, last_seq = left_over.last_seq,
             data = left_over.data
        FROM unnest(\(\.types), \(\.days), \(\.parts), \(\.newParts), \(\.blocks), \(\.counts),
                    \(\.firstTimes), \(\.lastTimes), \(\.firstSequences), \(\.lastSequences),
                    \(\.data))
               AS left_over (type, day, part, new_part, blocks, n, first_ts, last_ts, first_seq,
                             last_seq, data)
       WHERE chunks.account_id = \(\.account)
         AND chunks.type = left_over.type
         AND chunks.day = left_over.day
         AND chunks.part = left_over.part
      RETURNING 1)
    SELECT count(*) / (count(*) = \(\.count))::int4 FROM rewritten
    """
  let account: AccountID
  private(set) var types: [DataType] = []
  private(set) var days: [Int32] = []
  private(set) var parts: [Int32] = []
  private(set) var newParts: [Int32] = []
  private(set) var blocks: [Int16] = []
  private(set) var counts: [Int32] = []
  private(set) var firstTimes: [Int64] = []
  private(set) var lastTimes: [Int64] = []
  private(set) var firstSequences: [Int64] = []
  private(set) var lastSequences: [Int64] = []
  private(set) var data: [[UInt8]] = []
  var count: Int64 { Int64(types.count) }

  init(account: AccountID) { self.account = account }

  /// Adds a chunk with its new content.
  mutating func append(_ key: ChunkKey, as part: Int32, _ rest: RewrittenChunk) {
    types.append(key.type)
    days.append(key.day)
    parts.append(key.part)
    newParts.append(part)
    blocks.append(rest.blocks)
    counts.append(Int32(rest.count))
    firstTimes.append(rest.firstTime.millisecondsSince1970)
    lastTimes.append(rest.lastTime.millisecondsSince1970)
    firstSequences.append(rest.firstSequence)
    lastSequences.append(rest.lastSequence)
    data.append(rest.data)
  }
}

/// Chunks that hold the last sample of their day but are not its head: the rest of days whose later
/// samples were erased.
struct LastChunksBeforeHead: Statement {
  struct Row: Sendable {
    let type: DataType
    let day: Int32
    let part: Int32
    let head: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT type, day, part, head, data
      FROM (SELECT type, day, part, data,
                   max(part) OVER (PARTITION BY type, day) AS head,
                   row_number() OVER (PARTITION BY type, day
                                      ORDER BY last_ts DESC, part DESC) AS place
              FROM chunks
             WHERE account_id = \(\.account)
               AND type = ANY (\(\.types))
               AND day = ANY (\(\.days))) AS ranked
     WHERE place = 1
       AND part < head
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let days: [Int32]

  /// Examines the first and the last day of the period, and one more on each side, as
  /// `SamplePeriod.days`.
  init(
    account: AccountID, types: [DataType], _ period: SamplePeriod, zone: TimeZoneRules
  ) {
    self.account = account
    self.types = types
    let days = period.days(in: zone)
    var ends = Set(days.lowerBound...min(days.lowerBound + 2, days.upperBound))
    ends.formUnion(max(days.upperBound - 2, days.lowerBound)...days.upperBound)
    self.days = ends.sorted()
  }
}

/// Marks the months with samples in a period for a new count for groups, before the samples are
/// erased.
struct MarkErasedMonths: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO month_dirty (account_id, type, month, marks)
    SELECT DISTINCT \(\.account), type,
           ((extract(year FROM date '1970-01-01' + day) - 1970) * 12
             + extract(month FROM date '1970-01-01' + day) - 1)::int4,
           1
      FROM chunks
     WHERE account_id = \(\.account)
       AND type = ANY (\(\.types))
       AND day BETWEEN \(\.period.firstDay) AND \(\.period.lastDay)
       AND day < \(\.firstOpenDay)
       AND last_ts >= \(\.period.from)
       AND first_ts < \(\.period.to)
        ON CONFLICT (account_id, type, month) DO UPDATE
       SET marks = month_dirty.marks + 1
    """
  let account: AccountID
  let types: [DataType]
  let period: StoredPeriod
  let firstOpenDay: Int32

  init(_ erasing: EraseChunks, firstOpenDay: Int32) {
    account = erasing.account
    types = erasing.types.filter(\.isNumeric)
    period = erasing.period
    self.firstOpenDay = firstOpenDay
  }
}

/// Deletes a person's last cell if its time is in the period; the next position stores it again.
struct ForgetLastCell: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM last_cells
     WHERE account_id = \(\.account)
       AND \(\.isPosition)
       AND seen_ts >= \(\.period.from)
       AND seen_ts < \(\.period.to)
    """
  let account: AccountID
  let isPosition: Bool
  let period: StoredPeriod

  init(_ erasing: EraseChunks) {
    account = erasing.account
    isPosition = erasing.types.contains(.position)
    period = erasing.period
  }
}

/// Pauses collection until a time, or resumes it (DAT-8).
struct PauseCollection: Statement {
  static let sql: SQL<Self> = """
    UPDATE sample_accounts SET paused_until = \(\.until) WHERE account_id = \(\.account)
    """
  let account: AccountID
  let until: Instant?
}
