import Domain
import EventLoop
import Postgres
import Services

/// Keeps everybody else from releasing statistics until the end of the transaction: of two requests
/// for nearly the same people, the second sees the first, of whatever period.
struct LockReleases: Statement {
  static let sql: SQL<Self> = """
    SELECT FROM pg_advisory_xact_lock(\(\.lockClass), 0)
    """
  let lockClass = AdvisoryLockClass.releases.rawValue
}

/// The people of statistics that were released.
struct KeptSet: Sendable {
  let id: Int64
  let members: [UInt8]

  static let columns = Columns(KeptSet.init)
  /// How many are read at a time.
  static let countMax: Int64 = 16
}

/// Earlier statistics of a period and breakdown that rest on about as many people, the oldest
/// first, a few at a time. By the index over all of these.
struct EarlierStatistics: Statement {
  typealias Row = KeptSet
  static let sql: SQL<Self> = """
    SELECT statistic_id, members
      FROM data4help.released_statistics
     WHERE type = \(\.type)
       AND first_day = \(\.firstDay)
       AND last_day = \(\.lastDay)
       AND breakdown = \(\.breakdown)
       AND people BETWEEN \(\.peopleMin) AND \(\.peopleMax)
       AND statistic_id > \(\.after)
     ORDER BY statistic_id
     LIMIT \(\.countMax)
    """
  static let columns = KeptSet.columns
  let type: DataType
  let firstDay: Int32
  let lastDay: Int32
  let breakdown: Int16
  let peopleMin: Int32
  let peopleMax: Int32
  let after: Int64
  let countMax = KeptSet.countMax
}

/// The cohorts of about as many people, of whatever period, the oldest first, a few at a time. By
/// an index over them.
struct Cohorts: Statement {
  typealias Row = KeptSet
  static let sql: SQL<Self> = """
    SELECT statistic_id, members
      FROM data4help.released_statistics
     WHERE type = \(\.type)
       AND cohort IS NULL
       AND people BETWEEN \(\.peopleMin) AND \(\.peopleMax)
       AND statistic_id > \(\.after)
     ORDER BY statistic_id
     LIMIT \(\.countMax)
    """
  static let columns = KeptSet.columns
  let type: DataType
  let peopleMin: Int32
  let peopleMax: Int32
  let after: Int64
  let countMax = KeptSet.countMax
}

/// The oldest statistics of a cohort that are of just these days, or of this period, first those of
/// a breakdown. By the index over cohorts.
struct StatisticsOfCohort: Statement {
  struct Row: Sendable {
    let id: Int64
    let breakdown: Int16
  }
  static let sql: SQL<Self> = """
    SELECT statistic_id, breakdown
      FROM data4help.released_statistics
     WHERE coalesce(cohort, statistic_id) = \(\.cohort)
       AND (days = \(\.days) OR (first_day = \(\.firstDay) AND last_day = \(\.lastDay)))
     ORDER BY (breakdown = \(\.breakdown)) DESC, statistic_id
     LIMIT 1
    """
  static let columns = Columns(Row.init)
  let cohort: Int64
  let days: [Int32]
  let firstDay: Int32
  let lastDay: Int32
  let breakdown: Int16
}

/// What was told of the whole of a type. By the primary key.
struct WholeOfStatistics: Statement {
  struct Row: Sendable {
    let shownPeople: Int32
    let days: [Int32]
    let document: [UInt8]
    let csv: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT shown_people, days, document, csv
      FROM data4help.released_statistics
     WHERE statistic_id = \(\.id)
    """
  static let columns = Columns(Row.init)
  let id: Int64
}

/// Keeps released statistics; gives their number.
struct KeepStatistics: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    INSERT INTO data4help.released_statistics (
           type, first_day, last_day, breakdown, people, members, cohort, days, released_at,
           shown_people, document, csv, parts, part_csv)
    VALUES (\(\.type), \(\.firstDay), \(\.lastDay), \(\.breakdown), \(\.people), \(\.members),
            \(\.cohort), \(\.days), \(\.now), \(\.shownPeople), \(\.document), \(\.csv),
            \(\.parts), \(\.partCSV))
    RETURNING statistic_id
    """
  let type: DataType
  let firstDay: Int32
  let lastDay: Int32
  let breakdown: Int16
  let people: Int32
  let members: [UInt8]
  let cohort: Int64?
  let days: [Int32]
  let now: WallTime
  let shownPeople: Int32
  let document: [UInt8]
  let csv: [UInt8]
  let parts: [UInt8]
  let partCSV: [UInt8]
}

/// Enters the next release of a request.
struct EnterRelease: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.group_releases (request_id, number, first_day, last_day, statistics)
    SELECT \(\.requestID), coalesce(max(number), 0) + 1, \(\.firstDay), \(\.lastDay),
           \(\.statistics)
      FROM data4help.group_releases
     WHERE request_id = \(\.requestID)
    """
  let requestID: DataRequestID
  let firstDay: Int32
  let lastDay: Int32
  let statistics: [Int64]
}

/// What a release of a request gives, a type a row.
struct StatisticsOfRelease: Statement {
  struct Row: Sendable {
    let firstDay: Int32
    let lastDay: Int32
    let shownPeople: Int32
    let releasedAt: WallTime
    let document: [UInt8]
    let parts: [UInt8]
    let csv: [UInt8]
  }
  static let sql: SQL<Self> = """
    SELECT release.first_day, release.last_day, shown_people, released_at, document, parts,
           csv || part_csv
      FROM data4help.group_releases AS release
      JOIN data4help.released_statistics ON statistic_id = ANY (statistics)
     WHERE request_id = \(\.requestID)
       AND number = \(\.number)
     ORDER BY array_position(statistics, statistic_id)
    """
  static let columns = Columns(Row.init)
  let requestID: DataRequestID
  let number: Int32
}

/// The number of the newest release of a request; nothing before the first. By the primary key.
struct NewestRelease: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    SELECT number
      FROM data4help.group_releases
     WHERE request_id = \(\.requestID)
     ORDER BY number DESC
     LIMIT 1
    """
  let requestID: DataRequestID
}
