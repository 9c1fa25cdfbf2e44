import Domain
import Postgres

/// The chunks that hold samples of some types in a period, in no particular order.
package struct ChunksOfPeriod: Statement {
  /// A chunk, with its key inside the account.
  package struct Row: Sendable {
    /// The type of all its samples.
    package let type: DataType
    /// The day in the zone of the installation, in days since 1970.
    package let day: Int32
    /// The number of the chunk inside the day.
    package let part: Int32
    /// The sealed blocks.
    package let data: [UInt8]
  }
  package static let sql: SQL<Self> = """
    SELECT type, day, part, data
      FROM chunks
     WHERE account_id = \(\.account)
       AND type = ANY (\(\.types))
       AND day BETWEEN \(\.period.firstDay) AND \(\.period.lastDay)
       AND last_ts >= \(\.period.from)
       AND first_ts < \(\.period.to)
    """
  package static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let period: StoredPeriod

  /// The chunks of an account with samples of these types in a period.
  package init(account: AccountID, types: [DataType], period: StoredPeriod) {
    self.account = account
    self.types = types
    self.period = period
  }
}

/// The chunks of one type from a time on, in whole days, until they have more samples than a page;
/// oldest day first.
struct ChunksOfPage: Statement {
  struct Row: Sendable {
    let day: Int32
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT day, part, data
      FROM (SELECT day, part, data,
                   sum(n) OVER (ORDER BY day) - sum(n) OVER (PARTITION BY day) AS earlier
              FROM chunks
             WHERE account_id = \(\.account)
               AND type = \(\.type)
               AND day BETWEEN \(\.period.firstDay) AND \(\.period.lastDay)
               AND last_ts >= \(\.period.from)
               AND first_ts < \(\.period.to)) AS page
     WHERE earlier <= \(\.samplesMax)
     ORDER BY day, part
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let type: DataType
  let period: StoredPeriod
  let samplesMax: Int64
}

/// The room that an account uses, and its oldest sample.
struct RoomUsed: Statement {
  struct Row: Sendable {
    let bytes: Int64
    let oldest: Int64?
  }
  static let sql: SQL<Self> = """
    SELECT bytes_used, (SELECT min(first_ts) FROM chunks WHERE account_id = \(\.account))
      FROM sample_accounts
     WHERE account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}
