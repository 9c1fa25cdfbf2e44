import Domain
import Postgres
import Runs
import Time

/// Statements by which replicas follow runs and their data, listed for the schema check.
enum FollowedRunStatements {
  static let all: [any Statement.Type] = [
    FollowedRuns.self, RequestedRuns.self, LiveRunByID.self, Roster.self, DataAfter.self,
    LastRunData.self,
  ]
}

/// A listed run with a version stamp that changes with every change of the run, its path or its
/// enrolments, and its first picture.
///
/// The stamp consists of the numbers of the transactions that wrote the rows (`xmin`), so that code
/// that changes an enrolment does not have to notify followers.
struct StampedRun: Sendable {
  let runID: Int64
  let stamp: String

  static let selection: StaticString = """
    SELECT run.run_id,
           concat_ws(' ', run.xmin, path.xmin,
             EXISTS (SELECT FROM track4run.pictures AS picture
                      WHERE picture.run_id = run.run_id),
             (SELECT concat_ws(' ', count(*), sum(enrolment.xmin::text::bigint))
                FROM track4run.enrolments AS enrolment
               WHERE enrolment.run_id = run.run_id))
      FROM track4run.runs AS run
      JOIN track4run.publications USING (run_id)
      JOIN track4run.paths AS path USING (run_id)
     WHERE run.cancelled_at IS NULL
    """
  static let columns = Columns(StampedRun.init)
}

/// The listed runs that are active, ended recently or have to be kept.
struct FollowedRuns: Statement {
  typealias Row = StampedRun
  static let sql: SQL<Self> = """
    \(fragment: StampedRun.selection)
       AND (run.ends_at > \(\.endedAfter) AND run.starts_at <= \(\.startedBy)
            OR run.run_id = ANY (\(\.kept)))
    """
  static let columns = StampedRun.columns
  let endedAfter: Instant
  let startedBy: Instant
  let kept: [Int64]
}

/// Those of some runs that are listed. Uses the primary keys.
struct RequestedRuns: Statement {
  typealias Row = StampedRun
  static let sql: SQL<Self> = """
    \(fragment: StampedRun.selection)
       AND run.run_id = ANY (\(\.requested))
    """
  static let columns = StampedRun.columns
  let requested: [Int64]
}

/// A listed run with its path.
struct LiveRunByID: Statement {
  typealias Row = LiveRunRow
  static let sql: SQL<Self> = """
    SELECT run.run_id, publication.code, run.name, run.description, run.place, run.starts_at,
           run.ends_at, run.enrol_until, run.participants_max, run.enrolled, run.organiser_name,
           postgis.ST_AsBinary(path.path), path.length_metres,
           EXISTS (SELECT FROM track4run.pictures AS picture WHERE picture.run_id = run.run_id),
           run.clauses_version
      FROM track4run.runs AS run
      JOIN track4run.publications AS publication USING (run_id)
      JOIN track4run.paths AS path USING (run_id)
     WHERE run.run_id = \(\.runID)
       AND run.cancelled_at IS NULL
    """
  static let columns = Columns(LiveRunRow.init)
  let runID: Int64
}

/// The runners shown in live views: checked in and not left, or left after their finish.
struct Roster: Statement {
  struct Row: Sendable {
    let number: Int32
    let account: AccountID
    let sealedName: [UInt8]?
    let showsHealth: Bool
    let isFindable: Bool
    let isFindableByName: Bool
    let isPaused: Bool
    let dataRevision: Int32
    let hasLeft: Bool
    let isAnonymous: Bool
  }
  static let sql: SQL<Self> = """
    SELECT number, account_id, sealed_name, shows_health, is_findable, is_findable_by_name,
           is_paused, data_revision, left_at IS NOT NULL, \(fragment: RunnerNames.isAnonymous)
      FROM track4run.enrolments AS enrolment
     WHERE run_id = \(\.runID)
       AND (left_at IS NULL OR left_reason = 5)
       AND checked_in_at IS NOT NULL
     ORDER BY number
    """
  static let columns = Columns(Row.init)
  let runID: Int64
}

/// Rows of all runs after a sequence number, in its order.
struct DataAfter: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE stream_seq > \(\.after)
     ORDER BY stream_seq
     LIMIT \(\.limit)
    """
  static let columns = RunDataRow.columns
  let after: Int64
  let limit: Int64
}

/// The number of the last stored row; 0 without rows.
struct LastRunData: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT coalesce(max(stream_seq), 0) FROM track4run.run_data
    """
}
