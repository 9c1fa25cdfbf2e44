import Domain
import Postgres
import Time

/// Statements of the clauses of runs, listed for the schema check.
enum ClausesStatements {
  static let all: [any Statement.Type] = [
    SetClauses.self, ClausesInForce.self, ClausesOfListedRun.self,
  ]
}

/// Sets the next version of the clauses of a locked run, or revokes its clauses.
struct SetClauses: Statement {
  static let sql: SQL<Self> = """
    WITH next AS (
      SELECT coalesce(max(version), 0) + 1 AS version
        FROM track4run.clauses
       WHERE run_id = \(\.runID)),
    made AS (
      INSERT INTO track4run.clauses (run_id, version, text, made_at)
      SELECT \(\.runID), version, \(\.text), \(\.now)
        FROM next
       WHERE \(\.text) IS NOT NULL
      RETURNING version)
    UPDATE track4run.runs
       SET clauses_version = (SELECT version FROM made)
     WHERE run_id = \(\.runID)
    """
  let runID: Int64
  let text: String?
  let now: Instant
}

/// The text of a run's current clauses; no row without clauses.
struct ClausesInForce: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT clauses.text
      FROM track4run.runs AS run
      JOIN track4run.clauses AS clauses
        ON (clauses.run_id, clauses.version) = (run.run_id, run.clauses_version)
     WHERE run.run_id = \(\.runID)
    """
  let runID: Int64
}

/// A version of the clauses of a listed run, the current one if none is named; also for a cancelled
/// run, whose runners accepted them.
struct ClausesOfListedRun: Statement {
  struct Row: Sendable {
    let version: Int32
    let text: String
    let madeAt: Instant
  }
  static let sql: SQL<Self> = """
    SELECT clauses.version, clauses.text, clauses.made_at
      FROM track4run.runs AS run
      JOIN track4run.publications USING (run_id)
      JOIN track4run.clauses AS clauses USING (run_id)
     WHERE run.run_id = \(\.runID)
       AND clauses.version = coalesce(\(\.version), run.clauses_version)
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let version: Int32?
}
