import Domain
import Postgres
import Services

/// A part of the accounts of which the next day is to be closed, locked; one that another worker
/// holds is left to it.
struct SliceToClose: Statement {
  typealias Row = ClosingSlice
  static let sql: SQL<Self> = """
    SELECT slice, first_account, last_account, closed_day, after_account
      FROM data4help.closing_slices
     WHERE closed_day IS NULL OR closed_day < \(\.lastDay)
     ORDER BY closed_day NULLS FIRST, slice
     LIMIT 1
       FOR UPDATE SKIP LOCKED
    """
  static let columns = Columns(ClosingSlice.init)
  let lastDay: Int32
}

/// A part of the accounts that has marked months, locked.
struct SliceToRecount: Statement {
  typealias Row = ClosingSlice
  static let sql: SQL<Self> = """
    SELECT slice, first_account, last_account, closed_day, after_account
      FROM data4help.closing_slices
     WHERE EXISTS (SELECT FROM data4help.month_dirty
                    WHERE account_id BETWEEN first_account AND last_account)
     ORDER BY slice
     LIMIT 1
       FOR UPDATE SKIP LOCKED
    """
  static let columns = Columns(ClosingSlice.init)
}

/// A part of the accounts and how far its days are closed.
struct ClosingSlice: Sendable {
  let slice: Int16
  let first: AccountID
  let last: AccountID
  let closedDay: Int32?
  let after: AccountID
}

/// Notes how far a part is.
struct MoveSlice: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.closing_slices
       SET closed_day = \(\.closedDay), after_account = \(\.after)
     WHERE slice = \(\.slice)
    """
  let slice: Int16
  let closedDay: Int32
  let after: AccountID
}

/// The day up to which every part is closed; NULL before the first worker ran.
struct LastClosedDay: Statement {
  typealias Row = Int32?
  static let sql: SQL<Self> = """
    SELECT CASE WHEN bool_and(closed_day IS NOT NULL) THEN min(closed_day) END
      FROM data4help.closing_slices
    """
}

/// The next accounts of a part, a page by the primary key; `last` is where the page ends.
struct PageOfAccounts: Statement {
  struct Row: Sendable {
    let last: AccountID?
    let count: Int64
  }
  static let sql: SQL<Self> = """
    SELECT max(account_id), count(*)
      FROM (SELECT account_id
              FROM data4help.sample_accounts
             WHERE account_id > \(\.after)
               AND account_id <= \(\.last)
             ORDER BY account_id
             LIMIT \(\.countMax)) AS page
    """
  static let columns = Columns(Row.init)
  let after: AccountID
  let last: AccountID
  let countMax: Int64
}

/// The chunks of one day of a page of accounts, of the types that are switched on: one look-up by
/// the primary key for each type of an account.
struct ChunksOfDay: Statement {
  typealias Row = CountedChunk
  static let sql: SQL<Self> = """
    SELECT chunks.account_id, chunks.type, chunks.day, chunks.part, chunks.data
      FROM data4help.sample_accounts AS sample
      JOIN data4help.chunks
        ON chunks.account_id = sample.account_id
       AND chunks.type = ANY (\(\.types))
       AND chunks.day = \(\.day)
     WHERE sample.account_id > \(\.after)
       AND sample.account_id <= \(\.last)
       AND (sample.disabled_types >> chunks.type::int4) & 1 = 0
    """
  static let columns = Columns(CountedChunk.init)
  let after: AccountID
  let last: AccountID
  let day: Int32
  let types = DataType.allCases.filter(\.isNumeric)
}

/// The chunks of marked months before the first open day, of the types that are switched on.
struct ChunksOfMonths: Statement {
  typealias Row = CountedChunk
  static let sql: SQL<Self> = """
    SELECT chunks.account_id, chunks.type, chunks.day, chunks.part, chunks.data
      FROM unnest(\(\.accounts), \(\.types), \(\.firstDays), \(\.lastDays))
             AS late (account_id, type, first_day, last_day)
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

/// A chunk to be counted.
struct CountedChunk: Sendable {
  let account: AccountID
  let type: DataType
  let day: Int32
  let part: Int32
  let data: [UInt8]
}

/// Takes marks of a part; those that an upload is just making are left for the next time.
struct TakeMarks: Statement {
  typealias Row = MonthKey
  static let sql: SQL<Self> = """
    DELETE FROM data4help.month_dirty
     WHERE (account_id, type, month) IN (
             SELECT account_id, type, month
               FROM data4help.month_dirty
              WHERE account_id BETWEEN \(\.first) AND \(\.last)
              ORDER BY account_id, type, month
              LIMIT \(\.countMax)
                FOR UPDATE SKIP LOCKED)
    RETURNING account_id, type, month
    """
  static let columns = Columns(MonthKey.init)
  let first: AccountID
  let last: AccountID
  let countMax: Int64
}

/// A month of a person's values of one type.
struct MonthKey: Hashable, Sendable {
  let account: AccountID
  let type: DataType
  let month: Int32
}

/// The member numbers of accounts; those that are gone are left out.
struct MembersOfAccounts: Statement {
  struct Row: Sendable {
    let account: AccountID
    let member: Int32
  }
  static let sql: SQL<Self> = """
    SELECT account_id, member FROM data4help.accounts WHERE account_id = ANY (\(\.accounts))
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
}

/// Stored months; each in the partition of its type and month, by the primary key.
struct StoredMonths: Statement {
  struct Row: Sendable {
    let account: AccountID
    let type: DataType
    let month: Int32
    let values: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT stored.account_id, stored.type, stored.month, stored.vals
      FROM unnest(\(\.accounts), \(\.types), \(\.months)) AS asked (account_id, type, month)
      JOIN data4help.month_values AS stored
        ON stored.account_id = asked.account_id
       AND stored.type = asked.type
       AND stored.month = asked.month
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
  let types: [DataType]
  let months: [Int32]
}

/// Stores months, new or in place of what is stored.
struct StoreMonths: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.month_values (account_id, type, month, member, vals)
    SELECT account_id, type, month, member, vals
      FROM unnest(\(\.accounts), \(\.types), \(\.months), \(\.members), \(\.values))
             AS counted (account_id, type, month, member, vals)
        ON CONFLICT (account_id, type, month) DO UPDATE
       SET vals = excluded.vals
    """
  var accounts: [AccountID] = []
  var types: [DataType] = []
  var months: [Int32] = []
  var members: [Int32] = []
  var values: [[UInt8]] = []
}

/// Removes months that have no value left.
struct RemoveMonths: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.month_values AS stored
     USING unnest(\(\.accounts), \(\.types), \(\.months)) AS emptied (account_id, type, month)
     WHERE stored.account_id = emptied.account_id
       AND stored.type = emptied.type
       AND stored.month = emptied.month
    """
  var accounts: [AccountID] = []
  var types: [DataType] = []
  var months: [Int32] = []
}

/// Makes the partitions that are missing; gives how many it made.
struct MakePartitions: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    SELECT data4help.make_month_partitions(\(\.types), \(\.months))
    """
  let types: [DataType]
  let months: [Int32]
}
