import Domain
import EventLoop
import Postgres
import Services

/// The statements over events that are set aside, for the check against the schema.
enum AsideStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    SetEventAside.self, DueEvents.self, RequestsAside.self, PostponeEvent.self, RemoveEvent.self,
    CountEventsAside.self,
  ]
}

/// What an event that is set aside tells, as a number.
enum AsideKind: Int16, PostgresValue {
  case samples = 1
  case answered = 2
  case ended = 3
  case erased = 4
  case accountDeleted = 5
  /// Nothing of it could be read.
  case unreadable = 6
}

/// An event that is to be tried again.
struct AsideEvent: Sendable {
  let number: Int64
  /// The number to ask for it behind.
  let behind: Int64
  /// How often it failed.
  let attempts: Int32
}

/// Sets an event aside.
struct SetEventAside: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.events_aside (
           number, behind, kind, request_id, reason, attempts, set_aside_at, next_attempt_at)
    VALUES (\(\.number), \(\.behind), \(\.kind), \(\.requestID), \(\.reason), \(\.attempts),
            \(\.now), \(\.until))
    """
  let number: Int64
  let behind: Int64
  let kind: AsideKind
  let requestID: DataRequestID?
  let reason: String
  let attempts: Int32
  let now: WallTime
  let until: WallTime
}

/// The oldest events that are to be tried again. An end waits for the answer before it. By the
/// index on the time.
struct DueEvents: Statement {
  typealias Row = AsideEvent
  static let sql: SQL<Self> = """
    SELECT number, behind, attempts
      FROM track4run.events_aside AS due
     WHERE next_attempt_at <= \(\.now)
       AND NOT (kind = 3
                AND EXISTS (SELECT FROM track4run.events_aside AS answer
                             WHERE answer.request_id = due.request_id
                               AND answer.kind = 2
                               AND answer.number < due.number))
     ORDER BY number
     LIMIT \(\.countMax)
    """
  static let columns = Columns(AsideEvent.init)
  let now: WallTime
  let countMax: Int64
}

/// Those of some requests of which an answer is set aside. By the index on requests.
struct RequestsAside: Statement {
  typealias Row = DataRequestID?
  static let sql: SQL<Self> = """
    SELECT request_id
      FROM track4run.events_aside
     WHERE request_id = ANY (\(\.requestIDs))
       AND kind = 2
    """
  let requestIDs: [DataRequestID]
}

/// Puts off an event that failed again.
struct PostponeEvent: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.events_aside
       SET attempts = attempts + 1, reason = \(\.reason), next_attempt_at = \(\.until)
     WHERE number = \(\.number)
    """
  let number: Int64
  let reason: String
  let until: WallTime
}

/// Removes an event that had its effect, or that there is nothing of any more; no row if another
/// process did.
struct RemoveEvent: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    DELETE FROM track4run.events_aside WHERE number = \(\.number) RETURNING number
    """
  let number: Int64
}

/// How many events are set aside, and how many of them have failed so often that somebody should
/// look.
struct CountEventsAside: Statement {
  struct Row: Sendable {
    let all: Int64
    let stuck: Int64
  }
  static let sql: SQL<Self> = """
    SELECT count(*), count(*) FILTER (WHERE attempts >= \(\.attempts)::int4)
      FROM track4run.events_aside
    """
  static let columns = Columns(Row.init)
  let attempts: Int32
}
