import Domain
import Postgres
import Services

/// The chunks that hold samples of some types in a period, in no order.
struct ChunksOfPeriod: Statement {
  struct Row: Sendable {
    let type: DataType
    let day: Int32
    let part: Int32
    let data: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT type, day, part, data
      FROM chunks
     WHERE account_id = \(\.account)
       AND type = ANY (\(\.types))
       AND day BETWEEN \(\.firstDay) AND \(\.lastDay)
       AND last_ts >= \(\.from)
       AND first_ts < \(\.to)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let firstDay: Int32
  let lastDay: Int32
  let from: Int64
  let to: Int64

  init(
    account: AccountID, types: [DataType], _ period: SamplePeriod, zone: TimeZoneRules
  ) {
    self.account = account
    self.types = types
    let days = period.days(in: zone)
    firstDay = days.lowerBound
    lastDay = days.upperBound
    from = period.from.millisecondsSince1970
    to = period.to.map(\.millisecondsSince1970) ?? .max
  }
}

/// The chunks of one type from a moment on, whole days until there are more samples than a page
/// has; the oldest day first.
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
               AND day BETWEEN \(\.firstDay) AND \(\.lastDay)
               AND last_ts >= \(\.from)
               AND first_ts < \(\.to)) AS page
     WHERE earlier <= \(\.samplesMax)
     ORDER BY day, part
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let type: DataType
  let firstDay: Int32
  let lastDay: Int32
  let from: Int64
  let to: Int64
  let samplesMax: Int64

  init(
    account: AccountID, type: DataType, _ period: SamplePeriod, days: ClosedRange<Int32>,
    samplesMax: Int
  ) {
    self.account = account
    self.type = type
    firstDay = days.lowerBound
    lastDay = days.upperBound
    from = period.from.millisecondsSince1970
    to = period.to.map(\.millisecondsSince1970) ?? .max
    self.samplesMax = Int64(samplesMax)
  }
}

/// The room an account uses, and its oldest sample.
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
