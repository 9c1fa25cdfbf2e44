import Domain
import Postgres
import Time

/// Statements of check-ins, listed for the schema check.
enum CheckInStatements {
  static let all: [any Statement.Type] = [
    RunsToOpen.self, HoldRunToOpen.self, RunnersToAsk.self, NoteRequests.self,
    MarkCheckInOpen.self, MarkCheckInClosed.self, WithdrawRequests.self, RunToAskFor.self,
    AskedRunners.self, EnrolledRunners.self,
  ]
}

/// Runs whose check-in has to be opened, ordered by start. Uses the index on such runs.
struct RunsToOpen: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id
      FROM track4run.runs
     WHERE check_in_at IS NULL
       AND cancelled_at IS NULL
       AND starts_at > \(\.now)
       AND starts_at < \(\.startingBefore)
     ORDER BY starts_at, run_id
     LIMIT \(\.countMax)
    """
  let now: Instant
  let startingBefore: Instant
  let countMax: Int64
}

/// Locks a run whose check-in has to be opened; no row if it no longer has to.
struct HoldRunToOpen: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id
      FROM track4run.runs
     WHERE run_id = \(\.runID)
       AND check_in_at IS NULL
       AND cancelled_at IS NULL
       AND starts_at > \(\.now)
       AND starts_at < \(\.startingBefore)
       FOR NO KEY UPDATE
    """
  let runID: Int64
  let now: Instant
  let startingBefore: Instant
}

/// The enrolled runners of a run without a request, by number. Uses the primary key.
struct RunnersToAsk: Statement {
  struct Row: Sendable {
    let number: Int32
    let account: AccountID
    let attempts: Int32
  }
  static let sql: SQL<Self> = """
    SELECT number, account_id, check_in_attempts
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND left_at IS NULL
       AND request_id IS NULL
     ORDER BY number
     LIMIT \(\.countMax)
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let countMax: Int64
}

/// Stores the requests of runners of a locked run.
struct NoteRequests: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments AS enrolment
       SET request_id = given.request_id, check_in_attempts = check_in_attempts + 1
      FROM unnest(\(\.numbers), \(\.requestIDs)) AS given (number, request_id)
     WHERE enrolment.run_id = \(\.runID)
       AND enrolment.number = given.number
    """
  let runID: Int64
  let numbers: [Int32]
  let requestIDs: [DataRequestID]
}

/// Marks that everyone enrolled was asked: runners who join later are asked at once.
struct MarkCheckInOpen: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs SET check_in_at = \(\.now) WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let now: Instant
}

/// Marks that the check-in has to be opened again.
struct MarkCheckInClosed: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs SET check_in_at = NULL WHERE run_id = \(\.runID)
    """
  let runID: Int64
}

/// Removes the requests of the enrolled runners of a locked run, and returns them.
struct WithdrawRequests: Statement {
  typealias Row = DataRequestID?
  static let sql: SQL<Self> = """
    WITH asked AS (
      SELECT number, request_id
        FROM track4run.enrolments
       WHERE run_id = \(\.runID)
         AND left_at IS NULL
         AND request_id IS NOT NULL),
    forgotten AS (
      UPDATE track4run.enrolments AS enrolment
         SET request_id = NULL, checked_in_at = NULL
        FROM asked
       WHERE enrolment.run_id = \(\.runID)
         AND enrolment.number = asked.number)
    SELECT request_id FROM asked
    """
  let runID: Int64
}

/// The fields of a check-in request that describe its run; no row for a cancelled run or one that
/// has begun.
struct RunToAskFor: Statement {
  struct Row: Sendable {
    let organiser: AccountID
    let code: String
    let name: String
    let startsAt: Instant
    let endsAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT organiser_id, code, name, starts_at, ends_at
      FROM track4run.runs
      JOIN track4run.publications USING (run_id)
     WHERE run_id = \(\.runID)
       AND cancelled_at IS NULL
       AND starts_at > \(\.now)
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let now: Instant
}

/// The runners of these requests who still have to be asked: enrolled, and under the same request.
/// Uses the index on requests.
struct AskedRunners: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let account: AccountID
  }
  static let sql: SQL<Self> = """
    SELECT given.request_id, account_id
      FROM unnest(\(\.requestIDs)) AS given (request_id)
      JOIN track4run.enrolments AS enrolment ON enrolment.request_id = given.request_id
     WHERE left_at IS NULL
       AND checked_in_at IS NULL
    """
  static let columns = Columns(Row.init)
  let requestIDs: [DataRequestID]
}

/// The enrolled runners of a run, by number. Uses the primary key.
struct EnrolledRunners: Statement {
  struct Row: Sendable {
    let account: AccountID
    /// The check-in request, if one was sent.
    let requestID: DataRequestID?
  }
  static let sql: SQL<Self> = """
    SELECT account_id, request_id
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND left_at IS NULL
     ORDER BY number
    """
  static let columns = Columns(Row.init)
  let runID: Int64
}
