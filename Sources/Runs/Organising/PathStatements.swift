import Domain
import Postgres
import Time

/// Locks a day against other publications of runs on it, to the end of the transaction: if two
/// equal paths are published at once, the second transaction sees the first.
struct HoldRunDay: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT pg_advisory_xact_lock(hashtextextended('track4run.day', \(\.day))) IS NOT NULL
    """
  let day: Int64
}

/// The path of a run.
package struct PathOfRun: Statement {
  /// The path.
  package typealias Row = StoredPath
  /// Without a path there is no row.
  package static let sql: SQL<Self> = """
    SELECT postgis.ST_AsBinary(path) FROM track4run.paths WHERE run_id = \(\.runID)
    """
  let runID: Int64

  /// Selects the path of the run with this number.
  package init(runID: Int64) { self.runID = runID }
}

/// The paths of other listed runs that start in a time range and come near this path.
///
/// Selects by the index on days first, which leaves few runs, then by bounds: the index on paths
/// would compare every long path of the area, of all days.
struct PathsNearby: Statement {
  typealias Row = StoredPath
  static let sql: SQL<Self> = """
    WITH of_these_days AS MATERIALIZED (
           SELECT other.path
             FROM track4run.runs AS run
             JOIN track4run.publications USING (run_id)
             JOIN track4run.paths AS other USING (run_id)
            WHERE run.run_id <> \(\.runID)
              AND run.cancelled_at IS NULL
              AND run.starts_at >= \(\.from)
              AND run.starts_at < \(\.to)),
         asked AS MATERIALIZED (SELECT postgis.ST_GeogFromWKB(\(\.path)) AS path)
    SELECT postgis.ST_AsBinary(other.path)
      FROM of_these_days AS other, asked
     WHERE other.path OPERATOR(postgis.&&) postgis._ST_Expand(asked.path, \(\.metres))
       AND postgis.ST_DWithin(other.path, asked.path, \(\.metres))
    """
  let runID: Int64
  let from: Instant
  let to: Instant
  let path: StoredPath
  let metres: Double
}

/// The number of an organiser's other listed runs that start in a time range.
struct CountListedRuns: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*)
      FROM track4run.runs AS run
      JOIN track4run.publications USING (run_id)
     WHERE run.organiser_id = \(\.organiser)
       AND run.run_id <> \(\.runID)
       AND run.cancelled_at IS NULL
       AND run.starts_at >= \(\.from)
       AND run.starts_at < \(\.to)
    """
  let organiser: AccountID
  let runID: Int64
  let from: Instant
  let to: Instant
}

/// Stores the path of a run, replacing the previous one.
struct StorePath: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.paths (run_id, path, length_metres)
    VALUES (\(\.runID), postgis.ST_GeogFromWKB(\(\.path)), \(\.lengthMetres))
        ON CONFLICT (run_id) DO UPDATE
       SET path = excluded.path, length_metres = excluded.length_metres
    """
  let runID: Int64
  let path: StoredPath
  let lengthMetres: Double
}

/// Lists a run under a code, or moves the end of a listed run, which keeps its code; no row if
/// another run has the code.
struct PublishRun: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    WITH moved AS (
      UPDATE track4run.publications
         SET end_latitude = \(\.endLatitude), end_longitude = \(\.endLongitude)
       WHERE run_id = \(\.runID)
      RETURNING code),
    made AS (
      INSERT INTO track4run.publications (
             run_id, code, end_latitude, end_longitude, published_at)
      SELECT \(\.runID), \(\.code), \(\.endLatitude), \(\.endLongitude), \(\.now)
       WHERE NOT EXISTS (SELECT FROM moved)
          ON CONFLICT (code) DO NOTHING
      RETURNING code)
    SELECT code FROM moved UNION ALL SELECT code FROM made
    """
  let runID: Int64
  let code: String
  let endLatitude: Double
  let endLongitude: Double
  let now: Instant
}
