import Domain
import Postgres
import Sharing
import Time

/// Serialises releases of statistics until the end of the transaction: of two requests for nearly
/// the same people, the second sees the first, even of another period.
struct LockReleases: Statement {
  static let sql: SQL<Self> = """
    SELECT FROM pg_advisory_xact_lock(\(\.lockClass), 0)
    """
  let lockClass = AdvisoryLockClass.releases.rawValue
}

/// The set of people behind released statistics.
struct KeptSet: Sendable {
  let id: Int64
  let members: [UInt8]

  static let columns = Columns(KeptSet.init)
  /// The number of sets in one page.
  static let countMax: Int64 = 16
}

/// A page of the earlier statistics of a period and breakdown that rest on a similar number of
/// people, oldest first. By the index over all of these.
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

/// A page of the cohorts with a similar number of people, of any period, oldest first. By an index
/// over them.
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

/// The oldest statistics of a cohort for exactly these days, or for this period, those with a
/// breakdown first. By the index over cohorts.
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

/// The released whole of a type. By the primary key.
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

/// Stores released statistics; returns their number.
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
  let now: Instant
  let shownPeople: Int32
  let document: [UInt8]
  let csv: [UInt8]
  let parts: [UInt8]
  let partCSV: [UInt8]
}

/// Inserts the next release of a request.
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

/// The statistics in a release of a request, one row per type.
struct StatisticsOfRelease: Statement {
  struct Row: Sendable {
    let firstDay: Int32
    let lastDay: Int32
    let shownPeople: Int32
    let releasedAt: Instant
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

/// The number of the newest release of a request; no row before the first. By the primary key.
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
