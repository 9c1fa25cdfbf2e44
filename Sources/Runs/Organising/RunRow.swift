import Domain
import Postgres
import ServiceKit
import Time

/// A stored run.
package struct RunRow: RunInList, Sendable {
  /// Its number.
  package let runID: Int64
  /// The organiser who created it.
  package let organiser: AccountID
  /// Its name.
  package let name: String
  /// Its description, if there is one.
  package let description: String?
  /// The name of its place, if given.
  package let place: String?
  /// Its start.
  package let startsAt: Instant
  /// The last time to enrol.
  package let enrolUntil: Instant
  /// Its end.
  package let endsAt: Instant
  /// The largest number of runners.
  package let participantsMax: Int32
  /// The number of enrolled runners.
  package let enrolled: Int32
  /// When it was cancelled; nil if it was not.
  package let cancelledAt: Instant?
  /// The code assigned with the first path; nil before.
  package let code: String?
  /// The version of its clauses; nil without clauses.
  package let clausesVersion: Int32?

  /// The columns in the order of the properties, of the aliases `run` and `publication`.
  static let columnList: StaticString = """
    run.run_id, run.organiser_id, run.name, run.description, run.place, run.starts_at,
           run.enrol_until, run.ends_at, run.participants_max, run.enrolled, run.cancelled_at,
           publication.code, run.clauses_version
    """
  static let columns = Columns(RunRow.init)

  /// The run as a domain value.
  ///
  /// - Throws: `internalError` for a row with inconsistent values.
  func run() throws(ApplicationError) -> Run {
    guard let times = RunTimes(startsAt: startsAt, endsAt: endsAt) else {
      throw .internalError(because: "A row of runs ends before it starts.")
    }
    return Run(
      id: runID, organiser: organiser, times: times, enrolUntil: enrolUntil,
      participantsMax: participantsMax, enrolled: enrolled, isPublished: code != nil,
      isCancelled: cancelledAt != nil, clausesVersion: clausesVersion)
  }
}

extension RunRow {
  /// The terms of the run, with the text of its clauses.
  ///
  /// - Throws: `internalError` for a row with inconsistent values.
  func terms(clauses: String?) throws(ApplicationError) -> RunTerms {
    guard let times = RunTimes(startsAt: startsAt, endsAt: endsAt) else {
      throw .internalError(because: "A row of runs ends before it starts.")
    }
    return RunTerms(
      stored: try stored(name, because: "A row of runs has an invalid name.", RunName.init),
      description: try description.map { (text) throws(ApplicationError) in
        try stored(text, because: "A row of runs has an invalid description.", RunDescription.init)
      },
      place: try place.map { (text) throws(ApplicationError) in
        try stored(text, because: "A row of runs has an invalid place.", RunName.init)
      },
      clauses: try clauses.map { (text) throws(ApplicationError) in
        try stored(text, because: "A row of clauses has an invalid text.", RunClauses.init)
      },
      times: times, enrolUntil: enrolUntil, participantsMax: participantsMax)
  }

  /// Parses a stored text. Unreadable text throws: a change of the run would otherwise store it as
  /// omitted.
  private func stored<Value, Failure: Error>(
    _ text: String, because cause: StaticString, _ read: (String) throws(Failure) -> Value
  ) throws(ApplicationError) -> Value {
    do throws(Failure) { return try read(text) } catch { throw .internalError(because: cause) }
  }
}

/// Locks a run against all other changes of it and of its enrolments, to the end of the
/// transaction. Later statements of the transaction see earlier commits of others.
struct HoldRun: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT run_id FROM track4run.runs WHERE run_id = \(\.runID) FOR NO KEY UPDATE
    """
  let runID: Int64
}

/// A run by its number, published or not.
struct RunByID: Statement {
  typealias Row = RunRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: RunRow.columnList)
      FROM track4run.runs AS run
      LEFT JOIN track4run.publications AS publication USING (run_id)
     WHERE run.run_id = \(\.runID)
    """
  static let columns = RunRow.columns
  let runID: Int64
}

/// A run that this third party organises or co-organises (RUN-2).
package struct RunOfOrganiser: Statement {
  /// The run.
  package typealias Row = RunRow
  package static let sql: SQL<Self> = """
    SELECT \(fragment: RunRow.columnList)
      FROM track4run.runs AS run
      LEFT JOIN track4run.publications AS publication USING (run_id)
     WHERE run.run_id = \(\.runID)
       AND (run.organiser_id = \(\.thirdParty)
            OR EXISTS (SELECT FROM track4run.co_organisers AS co
                        WHERE co.run_id = run.run_id AND co.third_party_id = \(\.thirdParty)))
    """
  package static let columns = RunRow.columns
  let runID: Int64
  let thirdParty: AccountID

  /// Finds a run that this third party organises or co-organises.
  package init(runID: Int64, thirdParty: AccountID) {
    self.runID = runID
    self.thirdParty = thirdParty
  }
}

extension RunNotification {
  /// Notifications about a stored run.
  package init(_ run: RunRow) {
    self.init(run.runID, run.name, startsAt: run.startsAt)
  }
}
