import Domain
import EventLoop
import Postgres
import Services

/// The statements of following Data4Help, for the check against the schema.
enum FollowingStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    LastNumber.self, MoveOn.self, RunnersOfRequests.self, CheckRunnersIn.self,
    CheckRunnersOut.self, TakeRunnersOut.self,
  ]
}

/// How far the sequence was read.
struct LastNumber: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT last_number FROM track4run.following"
}

/// Notes that the sequence was read on, where it had been read that far; no row if another process
/// has read on.
struct MoveOn: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE track4run.following
       SET last_number = \(\.to)
     WHERE last_number = \(\.from)
    RETURNING last_number
    """
  let from: Int64
  let to: Int64
}

/// Who in which run these requests are of, as far as they are still in it. By the index on
/// requests.
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

/// Checks in those whose request this is and who are still enrolled, with the types that they
/// share; gives the requests. By the index on requests.
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
  let now: WallTime
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var types: [Int64] = []

  init(now: WallTime) { self.now = now }

  /// Adds a request that was accepted for these types.
  mutating func append(_ requestID: DataRequestID, _ types: DataTypeSet) {
    guard !requestIDs.contains(requestID) else { return }
    requestIDs.append(requestID)
    self.types.append(Int64(types.bits))
  }
}

/// Takes the check-in off those of whose run it is not yet the start.
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
  private(set) var endedAt: [WallTime] = []

  /// Whether there is nobody.
  var isEmpty: Bool { requestIDs.isEmpty }

  /// Adds a check-in that was taken back at a time, which counts also where that is read later.
  mutating func append(_ requestID: DataRequestID, endedAt: Timestamp) {
    requestIDs.append(requestID)
    self.endedAt.append(WallTime(endedAt))
  }
}

/// Takes those out of their run who ended what they share with it after its start, and gives their
/// places back: of who takes consent back nothing more is shown or handed out (R21). So is out who
/// ended it before a start at which that was not known. After the end of the run the result stays,
/// without a name. The chosen name is removed, as when a runner leaves.
struct TakeRunnersOut: Statement {
  static let sql: SQL<Self> = """
    WITH gone AS (
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
         places AS (SELECT run_id, count(*) AS count FROM gone GROUP BY run_id ORDER BY run_id)
    UPDATE track4run.runs AS run
       SET enrolled = enrolled - places.count
      FROM places
     WHERE run.run_id = places.run_id
    """
  let now: WallTime
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var endedAt: [WallTime] = []

  init(now: WallTime) { self.now = now }

  /// Adds a check-in that the runner ended at a time.
  mutating func append(_ requestID: DataRequestID, endedAt: Timestamp) {
    requestIDs.append(requestID)
    self.endedAt.append(WallTime(endedAt))
  }
}
