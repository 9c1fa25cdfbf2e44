import Domain
import Postgres

/// The number of people in a cohort when its released number was drawn, and that number. By the
/// primary key.
struct PeopleOfCohort: Statement {
  typealias Row = DrawnNumber
  static let sql: SQL<Self> = """
    SELECT people, shown_people
      FROM data4help.released_statistics
     WHERE statistic_id = \(\.cohort)
    """
  static let columns = DrawnNumber.columns
  let cohort: Int64
}

/// The released numbers of people that were drawn for days of a cohort. By an index over them.
struct NumbersOfCohort: Statement {
  typealias Row = DrawnNumber
  static let sql: SQL<Self> = """
    SELECT coalesce(counted, 0), people
      FROM data4help.released_days
     WHERE cohort = \(\.cohort)
       AND counted IS NOT NULL
     ORDER BY day
    """
  static let columns = DrawnNumber.columns
  let cohort: Int64
}

/// A counted number of people and the number released for it.
struct DrawnNumber: Sendable {
  let counted: Int32
  let released: Int32

  static let columns = Columns(DrawnNumber.init)

  var drawn: NumbersOfDays.Drawn {
    NumbersOfDays.Drawn(counted: Int(counted), released: Int(released))
  }
}

/// The released figures of a cohort's days. By the primary key.
struct DaysOfCohort: Statement {
  struct Row: Sendable {
    let day: Int32
    let people: Int32
    let mean: Double
  }
  static let sql: SQL<Self> = """
    SELECT day, people, mean
      FROM data4help.released_days
     WHERE cohort = \(\.cohort)
       AND day BETWEEN \(\.firstDay) AND \(\.lastDay)
    """
  static let columns = Columns(Row.init)
  let cohort: Int64
  let firstDay: Int32
  let lastDay: Int32
}

/// Stores the released figures of days.
struct KeepDays: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.released_days (cohort, day, people, mean, counted)
    SELECT \(\.cohort), day, people, mean, nullif(counted, 0)
      FROM unnest(\(\.days), \(\.people), \(\.means), \(\.counted))
             AS told (day, people, mean, counted)
    """
  let cohort: Int64
  let days: [Int32]
  let people: [Int32]
  let means: [Double]
  /// 0 if the number was not drawn for the day.
  let counted: [Int32]

  init(_ days: [CohortFigures.ReleasedDay], of cohort: Int64) {
    self.cohort = cohort
    self.days = days.map(\.day.day)
    people = days.map { Int32($0.day.people) }
    means = days.map(\.day.mean)
    counted = days.map { Int32($0.drawnFor ?? 0) }
  }
}

/// The released numbers of people in the parts of a cohort. By the primary key.
struct PartsOfCohort: Statement {
  struct Row: Sendable {
    let part: String
    let people: Int32
  }
  static let sql: SQL<Self> = """
    SELECT part, people
      FROM data4help.released_parts
     WHERE cohort = \(\.cohort)
       AND breakdown = \(\.breakdown)
    """
  static let columns = Columns(Row.init)
  let cohort: Int64
  let breakdown: Int16
}

/// Stores the released numbers of people in the parts of a cohort.
struct KeepParts: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.released_parts (cohort, breakdown, part, people)
    SELECT \(\.cohort), \(\.breakdown), part, people
      FROM unnest(\(\.parts), \(\.people)) AS told (part, people)
    """
  let cohort: Int64
  let breakdown: Int16
  let parts: [String]
  let people: [Int32]
}
