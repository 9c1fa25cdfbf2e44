import Domain
import Postgres
import Time

/// Statements of starts, listed for the schema check.
enum StartStatements {
  static let all: [any Statement.Type] = [
    RunsToStart.self, HoldRunToStart.self, RemoveUnchecked.self, MarkStartHandled.self,
  ]
}

/// Runs that have begun and still contain runners who have not checked in. Uses the index on such
/// runs.
struct RunsToStart: Statement {
  struct Row: Sendable {
    let runID: Int64
    let startsAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT run_id, starts_at
      FROM track4run.runs
     WHERE start_handled_at IS NULL
       AND cancelled_at IS NULL
       AND starts_at <= \(\.startedBy)
     ORDER BY starts_at, run_id
     LIMIT \(\.countMax)
    """
  static let columns = Columns(Row.init)
  let startedBy: Instant
  let countMax: Int64
}

/// Locks a run that has begun; no row if its unchecked runners are already removed.
struct HoldRunToStart: Statement {
  struct Row: Sendable {
    let name: String
    let startsAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT name, starts_at
      FROM track4run.runs
     WHERE run_id = \(\.runID)
       AND start_handled_at IS NULL
       AND cancelled_at IS NULL
       AND starts_at <= \(\.startedBy)
       FOR NO KEY UPDATE
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let startedBy: Instant
}

/// Ends the enrolments of runners who have not checked in to a locked run, and frees their places.
///
/// Runners whose answer is a dead letter stay enrolled: the answer may be an acceptance.
struct RemoveUnchecked: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    WITH unchecked AS (
      SELECT number
        FROM track4run.enrolments
       WHERE run_id = \(\.runID)
         AND left_at IS NULL
         AND checked_in_at IS NULL
         AND NOT EXISTS (SELECT
                           FROM track4run.dead_letters AS answer
                          WHERE answer.request_id = enrolments.request_id
                            AND answer.kind = 2)
       ORDER BY number
       LIMIT \(\.countMax)),
    removed AS (
      UPDATE track4run.enrolments AS enrolment
         SET left_at = \(\.now), left_reason = 2
        FROM unchecked
       WHERE enrolment.run_id = \(\.runID)
         AND enrolment.number = unchecked.number
         AND enrolment.left_at IS NULL
         AND enrolment.checked_in_at IS NULL
      RETURNING enrolment.account_id),
    place AS (
      UPDATE track4run.runs
         SET enrolled = enrolled - (SELECT count(*)::integer FROM removed)
       WHERE run_id = \(\.runID))
    SELECT account_id FROM removed
    """
  let runID: Int64
  let now: Instant
  let countMax: Int64
}

/// Marks that unchecked runners were removed.
struct MarkStartHandled: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs SET start_handled_at = \(\.now) WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let now: Instant
}
