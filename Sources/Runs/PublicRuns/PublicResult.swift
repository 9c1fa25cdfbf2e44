import Domain
import Postgres
import Time

/// The result of one runner in a finished run, without health data.
package struct PublicResult: Sendable {
  /// The runner's number in the run.
  let number: Int32
  /// The account, which is part of the context under which the name is sealed.
  let account: AccountID
  /// The name chosen for the run, if one was.
  let sealedName: [UInt8]?
  /// Whether the runner left without the name, or the account was deleted.
  let isAnonymous: Bool
  /// The place among all runners.
  let place: Int32
  /// When the runner crossed the finish; nil without a finish.
  let finishedAt: Instant?
  /// The distance covered.
  let metres: Double

  /// Creates a row from its parts.
  package init(
    number: Int32, account: AccountID, sealedName: [UInt8]?, isAnonymous: Bool = false,
    place: Int32, finishedAt: Instant?, metres: Double
  ) {
    self.number = number
    self.account = account
    self.sealedName = sealedName
    self.isAnonymous = isAnonymous
    self.place = place
    self.finishedAt = finishedAt
    self.metres = metres
  }
}

/// The results of a run by place, the first thousand; no rows before they are final. Runners who
/// left without keeping the name are left out.
struct PublicResults: Statement {
  typealias Row = PublicResult
  static let sql: SQL<Self> = """
    SELECT result.number, enrolment.account_id, enrolment.sealed_name,
           \(fragment: RunnerNames.isAnonymous), coalesce(result.place, 0), result.finished_at,
           result.metres
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

/// The result of one runner of a run, by number.
struct PublicResultOfRunner: Statement {
  typealias Row = PublicResult
  static let sql: SQL<Self> = """
    SELECT result.number, enrolment.account_id, enrolment.sealed_name,
           \(fragment: RunnerNames.isAnonymous), coalesce(result.place, 0), result.finished_at,
           result.metres
      FROM track4run.results AS result
      JOIN track4run.enrolments AS enrolment USING (run_id, number)
     WHERE result.run_id = \(\.runID)
       AND result.number = \(\.number)
       AND result.place IS NOT NULL
    """
  static let columns = Columns(PublicResult.init)
  let runID: Int64
  let number: Int32
}
