import Domain
import EventLoop
import Postgres
import Services

/// What came of one runner of a run that is over, with nothing of their health.
package struct PublicResult: Sendable {
  /// The runner's number in the run.
  let number: Int32
  /// The account, by which the name is sealed.
  let account: AccountID
  /// The name chosen for the run, if one was.
  let sealedName: [UInt8]?
  /// The place among all who ran.
  let place: Int32
  /// When the runner crossed the line; nil for who did not.
  let finishedAt: WallTime?
  /// How far the runner came.
  let metres: Double

  /// A row of these parts.
  package init(
    number: Int32, account: AccountID, sealedName: [UInt8]?, place: Int32, finishedAt: WallTime?,
    metres: Double
  ) {
    self.number = number
    self.account = account
    self.sealedName = sealedName
    self.place = place
    self.finishedAt = finishedAt
    self.metres = metres
  }
}

/// The results of a run by place, the first thousand; no rows before they are final. Who has left
/// since is a number without a name.
struct PublicResults: Statement {
  typealias Row = PublicResult
  static let sql: SQL<Self> = """
    SELECT result.number, enrolment.account_id,
           CASE WHEN enrolment.left_at IS NULL THEN enrolment.sealed_name END,
           coalesce(result.place, 0), result.finished_at, result.metres
      FROM track4run.results AS result
      JOIN track4run.enrolments AS enrolment USING (run_id, number)
     WHERE result.run_id = \(\.runID)
       AND result.place IS NOT NULL
     ORDER BY result.place, result.number
     LIMIT 1000
    """
  static let columns = Columns(PublicResult.init)
  let runID: Int64
}
