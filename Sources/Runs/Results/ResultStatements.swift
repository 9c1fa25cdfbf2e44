import Domain
import Postgres
import ServiceKit
import Time

/// Statements of results, listed for the schema check.
enum ResultStatements {
  static let all: [any Statement.Type] = [
    RunsToClose.self, RunnersOfRun.self, HoldRunToClose.self, StoreResults.self, CloseRun.self,
    ResultsOfRun.self, SharerOfRun.self, HasRank.self,
  ]
}

/// Finished runs that are not closed, ordered by end, after one of them. Uses the index on such
/// runs.
struct RunsToClose: Statement {
  struct Row: Sendable {
    let runID: Int64
    let endsAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT run_id, ends_at
      FROM track4run.runs
     WHERE closed_at IS NULL
       AND cancelled_at IS NULL
       AND ends_at <= \(\.endedBy)
       AND (\(\.endedFrom) IS NULL OR (ends_at, run_id) > (\(\.endedFrom), \(\.afterRun)))
     ORDER BY ends_at, run_id
     LIMIT \(\.countMax)
    """
  static let columns = Columns(Row.init)
  let endedBy: Instant
  private let endedFrom: Instant?
  private let afterRun: Int64
  let countMax: Int64

  /// The runs that ended by a time, after a run or from the first one on.
  init(endedBy: Instant, after last: Row?, countMax: Int64) {
    self.endedBy = endedBy
    endedFrom = last?.endsAt
    afterRun = last?.runID ?? 0
    self.countMax = countMax
  }
}

/// The runners of a run with a result: checked in, and not left before their finish.
struct RunnersOfRun: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    SELECT number
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND checked_in_at IS NOT NULL
       AND (left_at IS NULL OR left_reason = 5)
     ORDER BY number
    """
  let runID: Int64
}

/// Whether an enrolled runner has a rank in the results; no row before they are final.
struct HasRank: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT place IS NOT NULL
      FROM track4run.results
     WHERE run_id = \(\.runID)
       AND number = \(\.number)
    """
  let runID: Int64
  let number: Int32
}

/// Locks a run that has to be closed; no row if it was closed or cancelled in the meantime.
struct HoldRunToClose: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id
      FROM track4run.runs
     WHERE run_id = \(\.runID)
       AND closed_at IS NULL
       AND cancelled_at IS NULL
       FOR NO KEY UPDATE
    """
  let runID: Int64
}

/// Stores the results of a run.
struct StoreResults: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.results (
           run_id, number, state, place, metres, reached_at, finished_at, kilometres_at)
    SELECT \(\.runID), given.number, given.state, given.place, given.metres, given.reached_at,
           CASE given.state WHEN 1 THEN given.reached_at END,
           coalesce(passed.times, '{}')
      FROM unnest(\(\.numbers), \(\.states), \(\.places), \(\.metres), \(\.reachedAt))
             AS given (number, state, place, metres, reached_at)
      LEFT JOIN (
             SELECT kilometre.number, array_agg(kilometre.at ORDER BY kilometre.at) AS times
               FROM unnest(\(\.kilometreNumbers), \(\.kilometreTimes)) AS kilometre (number, at)
              GROUP BY kilometre.number) AS passed USING (number)
    """
  let runID: Int64
  let numbers: [Int32]
  let states: [Int16]
  let places: [Int32?]
  let metres: [Double]
  let reachedAt: [Instant?]
  let kilometreNumbers: [Int32]
  let kilometreTimes: [Int64]

  init(_ runID: Int64, _ results: [RunResult]) {
    self.runID = runID
    numbers = results.map(\.number)
    states = results.map(\.outcome.rawValue)
    places = results.map(\.place)
    metres = results.map(\.metres)
    reachedAt = results.map(\.reachedAt)
    kilometreNumbers = results.flatMap { result in result.kilometresAt.map { _ in result.number } }
    kilometreTimes = results.flatMap { $0.kilometresAt.map(\.millisecondsSince1970) }
  }
}

/// Closes a locked run: its results are final.
struct CloseRun: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.runs SET closed_at = \(\.now) WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let now: Instant
}

/// The results of a closed run, by number; no rows before it is closed.
package struct ResultsOfRun: Statement {
  /// The result of a runner.
  package struct Row: Sendable {
    /// The runner's number in the run.
    package let number: Int32
    let state: Int16
    let place: Int32?
    let metres: Double
    let reachedAt: Instant?
    let kilometresAt: [Int64]
  }
  package static let sql: SQL<Self> = """
    SELECT number, state, place, metres, reached_at, kilometres_at
      FROM track4run.results
     WHERE run_id = \(\.runID)
     ORDER BY number
    """
  package static let columns = Columns(Row.init)
  let runID: Int64

  /// Finds the results of a run.
  package init(runID: Int64) { self.runID = runID }
}

extension ResultsOfRun.Row {
  /// The result.
  ///
  /// - Throws: `internalError` for a row with inconsistent values.
  package func result() throws(ApplicationError) -> RunResult {
    guard let outcome = RunResult.Outcome(rawValue: state) else {
      throw .internalError(because: "A row of results has an unknown state.")
    }
    return RunResult(
      stored: number, outcome, place: place, metres: metres,
      reachedAt: reachedAt?.flooredToMilliseconds,
      kilometresAt: kilometresAt.map { Instant(millisecondsSince1970: $0) })
  }
}
