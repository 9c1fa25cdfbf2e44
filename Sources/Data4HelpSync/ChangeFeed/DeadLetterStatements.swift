import Domain
import Operations
import Postgres
import Time

/// Statements over dead-letter events, listed for the schema check.
enum DeadLetterStatements {
  static let all: [any Statement.Type] = [
    StoreDeadLetter.self, DueDeadLetters.self, RequestsWithDeadLetters.self,
    PostponeDeadLetter.self, RemoveDeadLetter.self,
    CountDeadLetters.self,
  ]
}

/// The content of a dead-letter event, as a number.
enum DeadLetterKind: Int16, PostgresValue {
  case samples = 1
  case answered = 2
  case ended = 3
  case erased = 4
  case accountDeleted = 5
  /// The event could not be decoded.
  case unreadable = 6
}

/// An event for the log: its kind, and the check-in or the account that it concerns, so that an
/// operator can erase the remaining data of a lost erasure by hand.
struct EventLabel: LogSafe {
  let kind: DeadLetterKind
  let requestID: DataRequestID?
  var account: AccountID?

  var logText: String {
    if let requestID { return "\(kind) of request \(requestID)" }
    if let account { return "\(kind) of account \(account.rawValue)" }
    return "\(kind)"
  }
}

/// An event that has to be retried.
struct DeadLetter: Sendable {
  let number: Int64
  let kind: DeadLetterKind
  let requestID: DataRequestID?
  /// The number after which Data4Help is asked for the event.
  let after: Int64
  /// The number of failures.
  let attempts: Int32
}

/// Moves an event to the dead letters.
struct StoreDeadLetter: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.dead_letters (
           number, after_number, kind, request_id, reason, attempts, stored_at, next_attempt_at)
    VALUES (\(\.number), \(\.after), \(\.kind), \(\.requestID), \(\.reason), \(\.attempts),
            \(\.now), \(\.until))
    """
  let number: Int64
  let after: Int64
  let kind: DeadLetterKind
  let requestID: DataRequestID?
  let reason: String
  let attempts: Int32
  let now: Instant
  let until: Instant
}

/// The oldest due dead letters. The end of a check-in is retried after its answer. Uses the index
/// on the time.
struct DueDeadLetters: Statement {
  typealias Row = DeadLetter
  static let sql: SQL<Self> = """
    SELECT number, kind, request_id, after_number, attempts
      FROM track4run.dead_letters AS due
     WHERE next_attempt_at <= \(\.now)
       AND NOT (kind = 3
                AND EXISTS (SELECT FROM track4run.dead_letters AS answer
                             WHERE answer.request_id = due.request_id
                               AND answer.kind = 2
                               AND answer.number < due.number))
     ORDER BY number
     LIMIT \(\.countMax)
    """
  static let columns = Columns(DeadLetter.init)
  let now: Instant
  let countMax: Int64
}

/// Those of some requests whose answer is a dead letter. Uses the index on requests.
struct RequestsWithDeadLetters: Statement {
  typealias Row = DataRequestID?
  static let sql: SQL<Self> = """
    SELECT request_id
      FROM track4run.dead_letters
     WHERE request_id = ANY (\(\.requestIDs))
       AND kind = 2
    """
  let requestIDs: [DataRequestID]
}

/// Postpones an event that failed again.
struct PostponeDeadLetter: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.dead_letters
       SET attempts = attempts + 1, reason = \(\.reason), next_attempt_at = \(\.until)
     WHERE number = \(\.number)
    """
  let number: Int64
  let reason: String
  let until: Instant
}

/// Removes an event that took effect or that Data4Help no longer has; no row if another process
/// did.
struct RemoveDeadLetter: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    DELETE FROM track4run.dead_letters WHERE number = \(\.number) RETURNING number
    """
  let number: Int64
}

/// Counts the dead letters, and those that failed often enough to need an operator.
struct CountDeadLetters: Statement {
  struct Row: Sendable {
    let all: Int64
    let stuck: Int64
  }
  static let sql: SQL<Self> = """
    SELECT count(*), count(*) FILTER (WHERE attempts >= \(\.attempts)::int4)
      FROM track4run.dead_letters
    """
  static let columns = Columns(Row.init)
  let attempts: Int32
}
