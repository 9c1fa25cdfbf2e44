import Domain
import Postgres

/// The key of a column, which is a row of `day_columns`.
struct DayColumnKey: Hashable, Sendable {
  let type: DataType
  let day: Int32
  let block: Int32
}

/// Stored columns, locked, so that each writer sees the previous change; each by the primary key of
/// its type's partition.
struct StoredColumns: Statement {
  struct Row: Sendable {
    let type: DataType
    let day: Int32
    let block: Int32
    let values: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT stored.type, stored.day, stored.block, stored.vals
      FROM unnest(\(\.types), \(\.days), \(\.blocks)) AS asked (type, day, block)
      JOIN data4help.day_columns AS stored
        ON stored.type = asked.type
       AND stored.day = asked.day
       AND stored.block = asked.block
       FOR UPDATE OF stored
    """
  static let columns = Columns(Row.init)
  let types: [DataType]
  let days: [Int32]
  let blocks: [Int32]

  init(_ keys: [DayColumnKey]) {
    types = keys.map(\.type)
    days = keys.map(\.day)
    blocks = keys.map(\.block)
  }
}

/// Stores columns and replaces existing ones.
struct StoreColumns: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.day_columns (type, day, block, vals)
    SELECT type, day, block, vals
      FROM unnest(\(\.types), \(\.days), \(\.blocks), \(\.values))
             AS counted (type, day, block, vals)
        ON CONFLICT (type, day, block) DO UPDATE
       SET vals = excluded.vals
    """
  private(set) var types: [DataType] = []
  private(set) var days: [Int32] = []
  private(set) var blocks: [Int32] = []
  private(set) var values: [[UInt8]] = []

  var isEmpty: Bool { types.isEmpty }

  mutating func append(_ key: DayColumnKey, _ column: DayColumn) {
    types.append(key.type)
    days.append(key.day)
    blocks.append(key.block)
    values.append(column.bytes)
  }
}

/// Removes the values of an account that is being deleted, for all types and days. By the index on
/// blocks: costs a look at the columns of the block and a new row for each day with a value.
package struct ForgetDayValues: Statement {
  package static let sql: SQL<Self> = """
    UPDATE data4help.day_columns
       SET vals = overlay(vals PLACING '\\x0000'::bytea FROM own.first_byte FOR 2)
      FROM (SELECT \(fragment: MemberPosition.block) AS own_block,
                   \(fragment: MemberPosition.firstByte) AS first_byte
              FROM data4help.accounts
             WHERE account_id = \(\.account)) AS own
     WHERE block = own.own_block
       AND substring(vals FROM own.first_byte FOR 2) <> '\\x0000'::bytea
    """
  let account: AccountID

  /// Erases the values of an account.
  package init(account: AccountID) {
    self.account = account
  }
}

/// Blocks workers from the values of an account until the end of the transaction.
package struct LockSliceOfAccount: Statement {
  package static let sql: SQL<Self> = """
    SELECT FROM data4help.closing_slices
     WHERE slice = (SELECT \(fragment: MemberPosition.slice)
                      FROM data4help.accounts
                     WHERE account_id = \(\.account))
       FOR UPDATE
    """
  let account: AccountID

  /// Locks the slice of an account.
  package init(account: AccountID) {
    self.account = account
  }
}
