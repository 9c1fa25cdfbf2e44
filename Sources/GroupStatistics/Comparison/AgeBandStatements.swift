import Domain
import Postgres
import Time

/// The statements of the comparison with an age band, for the check against the schema.
package enum ComparisonStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    BirthDateOfPerson.self, TypesOfAccount.self, StatisticsOfAgeBand.self,
    KeepStatisticsOfAgeBand.self,
  ]
}

/// The birth date of a person, null for a company; by the primary key.
package struct BirthDateOfPerson: Statement {
  /// The birth date; nil for a company.
  package typealias Row = CalendarDate?
  package static let sql: SQL<Self> = """
    SELECT birth_date
      FROM data4help.accounts
     WHERE account_id = \(\.account)
    """
  let account: AccountID

  /// Reads for an account.
  package init(account: AccountID) {
    self.account = account
  }
}

/// The released statistics of an age band for the 30 days up to a day: nulls where too few people
/// were counted, no row before the first comparison. By two primary keys.
struct StatisticsOfAgeBand: Statement {
  struct Row: Sendable {
    let document: [UInt8]?
    let releasedAt: Instant?
  }
  static let sql: SQL<Self> = """
    SELECT document, released_at
      FROM data4help.age_band_statistics AS band
      LEFT JOIN data4help.released_statistics AS released USING (statistic_id)
     WHERE band.type = \(\.type)
       AND band.last_day = \(\.lastDay)
       AND band.age_band = \(\.band)
    """
  static let columns = Columns(Row.init)
  let type: DataType
  let lastDay: Int32
  let band: Int16
}

/// Keeps the statistics of an age band that all callers get until the next day is closed.
struct KeepStatisticsOfAgeBand: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.age_band_statistics (type, last_day, age_band, statistic_id)
    VALUES (\(\.type), \(\.lastDay), \(\.band), \(\.statistic))
    """
  let type: DataType
  let lastDay: Int32
  let band: Int16
  let statistic: Int64?
}
