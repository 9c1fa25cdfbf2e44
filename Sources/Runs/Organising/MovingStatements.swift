import Domain
import Postgres
import Time

/// Statements of moving a run to other times, listed for the schema check.
enum MovingStatements {
  static let all: [any Statement.Type] = [
    HoldTimesOfRuns.self, KeepTimesOfRuns.self, RemoveOverlapping.self,
  ]
}

/// Waits for all transactions that enrol runners, and blocks new ones until the end of the
/// transaction: the enrolments that overlap the new times are then exactly those stored. Locked
/// before runners and runs.
struct HoldTimesOfRuns: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT pg_advisory_xact_lock(hashtextextended('track4run.times', 0)) IS NOT NULL
    """
}

/// Prevents runs from being moved until the end of the transaction; a shared lock.
struct KeepTimesOfRuns: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT pg_advisory_xact_lock_shared(hashtextextended('track4run.times', 0)) IS NOT NULL
    """
}

/// Ends the enrolments in a locked run of runners enrolled in another run at its time (RUN-3), and
/// frees the places. Uses the index on accounts: the cost grows with the runners of the run.
struct RemoveOverlapping: Statement {
  struct Row: Sendable {
    let account: AccountID
    let requestID: DataRequestID?
  }
  static let sql: SQL<Self> = """
    WITH removed AS (
      UPDATE track4run.enrolments AS enrolment
         SET left_at = \(\.now), left_reason = 4
        FROM track4run.runs AS run
       WHERE run.run_id = \(\.runID)
         AND enrolment.run_id = run.run_id
         AND enrolment.left_at IS NULL
         AND EXISTS (
               SELECT FROM track4run.enrolments AS own
                 JOIN track4run.runs AS other USING (run_id)
                WHERE own.account_id = enrolment.account_id
                  AND own.left_at IS NULL
                  AND own.run_id <> run.run_id
                  AND other.cancelled_at IS NULL
                  AND other.starts_at < run.ends_at AND run.starts_at < other.ends_at)
      RETURNING enrolment.account_id, enrolment.request_id),
    place AS (
      UPDATE track4run.runs
         SET enrolled = enrolled - (SELECT count(*) FROM removed)
       WHERE run_id = \(\.runID)
         AND EXISTS (SELECT FROM removed))
    SELECT account_id, request_id FROM removed
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let now: Instant
}
