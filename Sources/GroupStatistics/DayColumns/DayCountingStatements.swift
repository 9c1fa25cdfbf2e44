import Domain
import HealthRecords
import Postgres

/// A part of the blocks whose next day can be closed, locked; parts that another worker holds are
/// skipped.
struct SliceToClose: Statement {
  typealias Row = ClosingSlice
  static let sql: SQL<Self> = """
    SELECT slice, closed_day, next_block
      FROM data4help.closing_slices
     WHERE closed_day IS NULL OR closed_day < \(\.lastDay)
     ORDER BY closed_day NULLS FIRST, slice
     LIMIT 1
       FOR UPDATE SKIP LOCKED
    """
  static let columns = Columns(ClosingSlice.init)
  let lastDay: Int32
}

/// A part of the blocks that has marked months, locked. Any part qualifies, so that one with a
/// constant supply of marks delays no other. Scans marks until it has one of each part.
struct SliceToRecount: Statement {
  typealias Row = ClosingSlice
  static let sql: SQL<Self> = """
    SELECT slice, closed_day, next_block
      FROM data4help.closing_slices
     WHERE EXISTS (SELECT FROM data4help.month_dirty AS dirty
                     LEFT JOIN data4help.accounts USING (account_id)
                    WHERE \(fragment: MemberPosition.slice) = slice)
     ORDER BY random()
     LIMIT 1
       FOR UPDATE SKIP LOCKED
    """
  static let columns = Columns(ClosingSlice.init)
}

/// The number of marks, up to the most that a round counts.
struct MarksToCount: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM (SELECT FROM data4help.month_dirty LIMIT \(\.countMax)) AS marks
    """
  let countMax = Int64(RecountRounds.marksMax)
}

/// A part of the blocks and the last day closed for it.
package struct ClosingSlice: Sendable {
  /// The number of parts: a block belongs to the part of its remainder.
  package static let count: Int32 = 8

  let slice: Int16
  let closedDay: Int32?
  let nextBlock: Int32
}

/// Stores the progress of a part.
struct MoveSlice: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.closing_slices
       SET closed_day = \(\.closedDay), next_block = \(\.nextBlock)
     WHERE slice = \(\.slice)
    """
  let slice: Int16
  let closedDay: Int32
  let nextBlock: Int32
}

/// The last day that is closed for every part; NULL before the first worker ran.
struct LastClosedDay: Statement {
  typealias Row = Int32?
  static let sql: SQL<Self> = """
    SELECT CASE WHEN bool_and(closed_day IS NOT NULL) THEN min(closed_day) END
      FROM data4help.closing_slices
    """
}

/// The highest member number; NULL without members. One look-up at the end of the search index.
struct LastMember: Statement {
  typealias Row = Int32?
  static let sql: SQL<Self> = """
    SELECT max(member) FROM data4help.accounts WHERE kind = 1
    """
}

/// The chunks of one day of some people, of the enabled types: people by the search index, and one
/// look-up by the primary key for each type of an account.
struct ChunksOfDay: Statement {
  typealias Row = CountedChunk
  static let sql: SQL<Self> = """
    SELECT chunks.account_id, member, chunks.type, chunks.day, chunks.part, chunks.data
      FROM data4help.accounts
      JOIN data4help.sample_accounts AS sample USING (account_id)
      JOIN data4help.chunks
        ON chunks.account_id = sample.account_id
       AND chunks.type = ANY (\(\.types))
       AND chunks.day = \(\.day)
     WHERE kind = 1
       AND member BETWEEN \(\.firstMember) AND \(\.lastMember)
       AND (sample.disabled_types >> chunks.type::int4) & 1 = 0
    """
  static let columns = Columns(CountedChunk.init)
  let firstMember: Int32
  let lastMember: Int32
  let day: Int32
  let types = DataType.allCases.filter(\.isNumeric)
}

/// The chunks of marked months before the first open day, of the enabled types.
struct ChunksOfMonths: Statement {
  typealias Row = CountedChunk
  static let sql: SQL<Self> = """
    SELECT chunks.account_id, member, chunks.type, chunks.day, chunks.part, chunks.data
      FROM unnest(\(\.accounts), \(\.types), \(\.firstDays), \(\.lastDays))
             AS late (account_id, type, first_day, last_day)
      JOIN data4help.accounts USING (account_id)
      JOIN data4help.sample_accounts AS sample USING (account_id)
      JOIN data4help.chunks
        ON chunks.account_id = late.account_id
       AND chunks.type = late.type
       AND chunks.day BETWEEN late.first_day AND late.last_day
     WHERE (sample.disabled_types >> chunks.type::int4) & 1 = 0
    """
  static let columns = Columns(CountedChunk.init)
  let accounts: [AccountID]
  let types: [DataType]
  let firstDays: [Int32]
  let lastDays: [Int32]
}

/// A chunk to count.
struct CountedChunk: Sendable {
  let account: AccountID
  let member: Int32
  let type: DataType
  let day: Int32
  let part: Int32
  let data: [UInt8]

  /// The row that the chunk was sealed for.
  var key: ChunkKey { ChunkKey(account: account, type: type, day: day, part: part) }
}

/// Removes marks of a part and returns them; marks that an upload is writing at this moment are
/// skipped. The member is NULL if the account was deleted.
struct ClaimMarks: Statement {
  struct Row: Sendable {
    let account: AccountID
    let member: Int32?
    let type: DataType
    let month: Int32
  }
  static let sql: SQL<Self> = """
    WITH taken AS (
           SELECT account_id, type, month, member
             FROM data4help.month_dirty AS dirty
             LEFT JOIN data4help.accounts USING (account_id)
            WHERE \(fragment: MemberPosition.slice) = \(\.slice)::int2
            LIMIT \(\.countMax)
              FOR UPDATE OF dirty SKIP LOCKED)
    DELETE FROM data4help.month_dirty AS removed
     USING taken
     WHERE removed.account_id = taken.account_id
       AND removed.type = taken.type
       AND removed.month = taken.month
    RETURNING removed.account_id, taken.member, removed.type, removed.month
    """
  static let columns = Columns(Row.init)
  let slice: Int16
  let countMax: Int64
}
