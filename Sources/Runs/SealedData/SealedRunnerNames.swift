import Cryptography
import Domain
import Postgres
import ServiceKit

/// The sealed names of runners, which are sealed again when the root secret is replaced.
package struct SealedRunnerNames: ServerSealedColumn {
  /// A runner with a name.
  package struct Row: Sendable {
    let runID: Int64
    let number: Int32
    let runner: AccountID
    let sealed: [UInt8]
  }

  private let root: RootSecret

  /// The names sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "names of runners"

  /// The runners after one, by run and number.
  package func page(after last: Row?) -> SealedRunnerNamePage {
    SealedRunnerNamePage(afterRun: last?.runID ?? .min, afterNumber: last?.number ?? .min)
  }

  /// The name under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: Row) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(runnerNamesOf: root)
      .resealed(row.sealed.span, for: RunnerNames.context(row.runID, row.runner))
  }

  /// Stores names.
  package func store(_ rows: [(row: Row, sealed: [UInt8])]) -> StoreResealedRunnerNames {
    StoreResealedRunnerNames(
      runs: rows.map(\.row.runID), numbers: rows.map(\.row.number),
      former: rows.map(\.row.sealed), sealed: rows.map(\.sealed))
  }
}

/// A page of runners with names. Reads the table by its primary key.
package struct SealedRunnerNamePage: Statement {
  /// A runner.
  package typealias Row = SealedRunnerNames.Row
  package static let sql: SQL<Self> = """
    SELECT run_id, number, account_id, coalesce(sealed_name, '')
      FROM track4run.enrolments
     WHERE (run_id, number) > (\(\.afterRun), \(\.afterNumber))
       AND sealed_name IS NOT NULL
     ORDER BY run_id, number
     LIMIT 500
    """
  package static let columns = Columns(SealedRunnerNames.Row.init)
  let afterRun: Int64
  let afterNumber: Int32
}

/// Stores names that were sealed again, unless they have changed or are locked.
package struct StoreResealedRunnerNames: Statement {
  /// One for each stored name.
  package typealias Row = Int32
  package static let sql: SQL<Self> = """
    WITH renewed AS (
           SELECT *
             FROM unnest(\(\.runs), \(\.numbers), \(\.former), \(\.sealed))
                    AS given (run_id, number, former, sealed)),
    free AS (
           SELECT stored.run_id, stored.number
             FROM track4run.enrolments AS stored
             JOIN renewed USING (run_id, number)
              FOR NO KEY UPDATE OF stored SKIP LOCKED)
    UPDATE track4run.enrolments AS stored
       SET sealed_name = renewed.sealed
      FROM renewed
      JOIN free USING (run_id, number)
     WHERE (stored.run_id, stored.number) = (renewed.run_id, renewed.number)
       AND stored.sealed_name = renewed.former
    RETURNING stored.number
    """
  let runs: [Int64]
  let numbers: [Int32]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
