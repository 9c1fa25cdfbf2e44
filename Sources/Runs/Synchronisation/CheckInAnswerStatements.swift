import Domain
import Postgres
import ServiceKit
import Time

/// Statements of answers to check-ins, listed for the schema check.
enum CheckInAnswerStatements {
  static let all: [any Statement.Type] = [
    RunnersOfRequests.self, CheckRunnersIn.self, CheckRunnersOut.self, RemoveRunners.self,
  ]
}

/// The runners and runs of these requests, if still enrolled. Uses the index on requests.
struct RunnersOfRequests: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let runID: Int64
    let number: Int32
  }
  static let sql: SQL<Self> = """
    SELECT given.request_id, enrolment.run_id, enrolment.number
      FROM unnest(\(\.requestIDs)) AS given (request_id)
      JOIN track4run.enrolments AS enrolment ON enrolment.request_id = given.request_id
     WHERE enrolment.left_at IS NULL
    """
  static let columns = Columns(Row.init)
  let requestIDs: [DataRequestID]
}

/// Checks in the enrolled runners of these requests, with the types that they share; returns the
/// requests. Uses the index on requests.
struct CheckRunnersIn: Statement {
  typealias Row = DataRequestID?
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments AS enrolment
       SET checked_in_at = \(\.now), shared_types = accepted.types
      FROM unnest(\(\.requestIDs), \(\.types)) AS accepted (request_id, types),
           track4run.runs AS run
     WHERE enrolment.request_id = accepted.request_id
       AND enrolment.left_at IS NULL
       AND run.run_id = enrolment.run_id
       AND run.cancelled_at IS NULL
    RETURNING enrolment.request_id
    """
  let now: Instant
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var types: [Int64] = []

  init(now: Instant) { self.now = now }

  /// Adds a request that was accepted for these types.
  mutating func append(_ requestID: DataRequestID, _ types: DataTypeSet) {
    guard !requestIDs.contains(requestID) else { return }
    requestIDs.append(requestID)
    self.types.append(Int64(types.bits))
  }
}

/// Removes the check-in of these requests if the run has not started.
struct CheckRunnersOut: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments AS enrolment
       SET checked_in_at = NULL
      FROM unnest(\(\.requestIDs), \(\.endedAt)) AS ended (request_id, ended_at),
           track4run.runs AS run
     WHERE enrolment.request_id = ended.request_id
       AND run.run_id = enrolment.run_id
       AND run.starts_at > ended.ended_at
    """
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var endedAt: [Instant] = []

  /// Whether no request was added.
  var isEmpty: Bool { requestIDs.isEmpty }

  /// Adds a check-in that was withdrawn at a time; this time counts even if the event is read
  /// later.
  mutating func append(_ requestID: DataRequestID, endedAt: Instant) {
    requestIDs.append(requestID)
    self.endedAt.append(endedAt)
  }
}

/// Removes runners from their run if they ended its consent after the start, and frees their
/// places: a withdrawn consent ends every view and download of the data (R21).
///
/// A runner who ended it before a start at which that was unknown is removed too. After the end of
/// the run the result stays, without a name. The chosen name is removed, as when a runner leaves.
struct RemoveRunners: Statement {
  static let sql: SQL<Self> = """
    WITH removed AS (
           UPDATE track4run.enrolments AS enrolment
              SET left_at = \(\.now), sealed_name = NULL,
                  left_reason = CASE WHEN run.ends_at <= ended.ended_at THEN 5 ELSE 1 END
             FROM unnest(\(\.requestIDs), \(\.endedAt)) AS ended (request_id, ended_at),
                  track4run.runs AS run
            WHERE enrolment.request_id = ended.request_id
              AND enrolment.left_at IS NULL
              AND run.run_id = enrolment.run_id
              AND (run.starts_at <= ended.ended_at OR run.start_handled_at IS NOT NULL)
           RETURNING enrolment.run_id),
         places AS (SELECT run_id, count(*) AS count FROM removed GROUP BY run_id ORDER BY run_id)
    UPDATE track4run.runs AS run
       SET enrolled = enrolled - places.count
      FROM places
     WHERE run.run_id = places.run_id
    """
  let now: Instant
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var endedAt: [Instant] = []

  init(now: Instant) { self.now = now }

  /// Adds a check-in that the runner ended at a time.
  mutating func append(_ requestID: DataRequestID, endedAt: Instant) {
    requestIDs.append(requestID)
    self.endedAt.append(endedAt)
  }
}
