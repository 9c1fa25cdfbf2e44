import Domain
import Postgres
import Services

/// How many people a cohort was told to have. By the primary key.
struct PeopleOfCohort: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    SELECT shown_people
      FROM data4help.released_statistics
     WHERE statistic_id = \(\.cohort)
    """
  let cohort: Int64
}

/// What was told of days to a cohort. By the primary key.
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

/// Keeps what is told of days to a cohort.
struct KeepDays: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.released_days (cohort, day, people, mean)
    SELECT \(\.cohort), day, people, mean
      FROM unnest(\(\.days), \(\.people), \(\.means)) AS told (day, people, mean)
    """
  let cohort: Int64
  let days: [Int32]
  let people: [Int32]
  let means: [Double]

  init(_ days: [ReleasedStatistics.Day], of cohort: Int64) {
    self.cohort = cohort
    self.days = days.map(\.day)
    people = days.map { Int32($0.people) }
    means = days.map(\.mean)
  }
}

/// How many people the parts of a cohort were told to have. By the primary key.
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

/// Keeps how many people parts of a cohort are told to have.
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
