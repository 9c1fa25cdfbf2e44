import Domain
import Postgres
import Time

/// Statements of joining and leaving, listed for the schema check.
enum EnrolmentStatements {
  static let all: [any Statement.Type] = [
    HoldRunner.self, JoinRun.self, EnrolmentTimes.self, LeaveRun.self, ChangeRunnerChoice.self,
    EnrolmentOfRunner.self, RunsOfRunner.self,
  ]
}

/// Locks a runner against joining and leaving elsewhere, to the end of the transaction: if a person
/// joins two runs of the same time at once, the second transaction sees the first.
struct HoldRunner: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT pg_advisory_xact_lock(hashtextextended('track4run.runner', \(\.runner))) IS NOT NULL
    """
  let runner: AccountID
}

/// Takes the next place of a run, under the next number.
///
/// The run must be listed, have a free place and still accept runners, and the runner must not be
/// enrolled in it or in another run at that time (R46, RUN-3).
///
/// One conditional update of the run's row decides: of many runners who want the last place,
/// exactly one receives it. The caller locks the runner first; without a row nothing changed, and
/// `Run.refusal` returns the reason.
struct JoinRun: Statement {
  struct Row: Sendable {
    let number: Int32
    let runName: String
    let startsAt: Instant
    /// Whether others were asked to check in.
    let isCheckInOpen: Bool
  }
  static let sql: SQL<Self> = """
    WITH place AS (
      UPDATE track4run.runs AS run
         SET enrolled = enrolled + 1, last_number = last_number + 1
       WHERE run.run_id = \(\.runID)
         AND run.enrolled < run.participants_max
         AND run.starts_at > \(\.now)
         AND run.enrol_until > \(\.now)
         AND run.cancelled_at IS NULL
         AND run.organiser_id <> \(\.runner)
         AND (run.clauses_version IS NULL OR run.clauses_version = \(\.clausesVersion))
         AND EXISTS (SELECT FROM track4run.publications AS listed
                      WHERE listed.run_id = run.run_id)
         AND NOT EXISTS (
               SELECT FROM track4run.enrolments AS own
                 JOIN track4run.runs AS other USING (run_id)
                WHERE own.account_id = \(\.runner)
                  AND own.left_at IS NULL
                  AND (other.run_id = run.run_id
                       OR other.cancelled_at IS NULL
                      AND other.starts_at < run.ends_at AND run.starts_at < other.ends_at))
      RETURNING run_id, last_number, name, starts_at, check_in_at, clauses_version),
    made AS (
      INSERT INTO track4run.enrolments (
             run_id, number, account_id, sealed_name, shows_health, is_findable,
             is_findable_by_name, joined_at, clauses_version, clauses_accepted_at)
      SELECT run_id, last_number, \(\.runner), \(\.sealedName), \(\.showsHealth),
             \(\.isFindable), \(\.isFindableByName), \(\.now), clauses_version,
             CASE WHEN clauses_version IS NOT NULL THEN \(\.now) END
        FROM place
      RETURNING number)
    SELECT made.number, place.name, place.starts_at, place.check_in_at IS NOT NULL
      FROM made CROSS JOIN place
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let runner: AccountID
  let sealedName: [UInt8]?
  let showsHealth: Bool
  let isFindable: Bool
  let isFindableByName: Bool
  let clausesVersion: Int32?
  let now: Instant
}

/// The times of the runs in which a runner is enrolled and that are not over. Uses the index on the
/// account.
struct EnrolmentTimes: Statement {
  struct Row: Sendable {
    let runID: Int64
    let startsAt: Instant
    let endsAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT run.run_id, run.starts_at, run.ends_at
      FROM track4run.enrolments AS enrolment
      JOIN track4run.runs AS run USING (run_id)
     WHERE enrolment.account_id = \(\.runner)
       AND enrolment.left_at IS NULL
       AND run.cancelled_at IS NULL
       AND run.ends_at > \(\.now)
    """
  static let columns = Columns(Row.init)
  let runner: AccountID
  let now: Instant
}

/// Ends a runner's enrolment in a locked run, and frees the place; no row if the runner is not
/// enrolled. A result that stays keeps the name if the runner chose that.
struct LeaveRun: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID?
    let number: Int32
    let runName: String
    let startsAt: Instant
  }
  static let sql: SQL<Self> = """
    WITH removed AS (
      UPDATE track4run.enrolments
         SET left_at = \(\.now), left_reason = \(\.reason), keeps_name = \(\.keepsName),
             sealed_name = CASE WHEN \(\.keepsName) THEN sealed_name END
       WHERE run_id = \(\.runID)
         AND account_id = \(\.runner)
         AND left_at IS NULL
      RETURNING run_id, number, request_id),
    place AS (
      UPDATE track4run.runs AS run
         SET enrolled = enrolled - 1
        FROM removed
       WHERE run.run_id = removed.run_id
      RETURNING run.name, run.starts_at)
    SELECT removed.request_id, removed.number, place.name, place.starts_at
      FROM removed CROSS JOIN place
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let runner: AccountID
  let reason: LeftReason
  let keepsName: Bool
  let now: Instant
}

/// Why a runner left by choice; the raw value is that of the column.
enum LeftReason: Int16, PostgresValue {
  /// Before the finish: no view shows the runner.
  case beforeFinish = 1
  /// After the finish: the result stays.
  case afterFinish = 5
}

/// The number and chosen name of a runner in a run; no row if the runner is not enrolled.
package struct EnrolmentOfRunner: Statement {
  /// An enrolment.
  package struct Row: Sendable {
    /// The runner's number in the run.
    package let number: Int32
    let sealedName: [UInt8]?
  }
  package static let sql: SQL<Self> = """
    SELECT number, sealed_name
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND account_id = \(\.runner)
       AND left_at IS NULL
    """
  package static let columns = Columns(Row.init)
  let runID: Int64
  let runner: AccountID

  /// Finds the enrolment of a runner in a run.
  package init(runID: Int64, runner: AccountID) {
    self.runID = runID
    self.runner = runner
  }
}
