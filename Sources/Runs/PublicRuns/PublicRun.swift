import Domain
import Postgres
import ServiceKit
import Time

/// A listed run in its public form, found by code.
package struct PublicRun: Sendable {
  /// Its number.
  package let runID: Int64
  /// Its code.
  package let code: String
  /// Its name.
  package let name: String
  /// Its description, if there is one.
  package let description: String?
  /// The name of its place, if given.
  package let place: String?
  /// The name of the company that organises it.
  package let organiser: String
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
  /// The latitude of the path's end, in degrees.
  package let endLatitude: Double
  /// The longitude of the path's end, in degrees.
  package let endLongitude: Double
  /// The length of the path.
  package let lengthMetres: Double
  /// Whether it has a picture.
  package let hasPicture: Bool
  /// The version of its clauses; nil without clauses.
  package let clausesVersion: Int32?
  /// The text of its clauses, if there are any.
  package let clauses: String?

  /// Creates a run from its parts.
  package init(
    runID: Int64, code: String, name: String, description: String?, place: String?,
    organiser: String, startsAt: Instant, enrolUntil: Instant, endsAt: Instant,
    participantsMax: Int32, enrolled: Int32, endLatitude: Double, endLongitude: Double,
    lengthMetres: Double, hasPicture: Bool, clausesVersion: Int32? = nil, clauses: String? = nil
  ) {
    self.runID = runID
    self.code = code
    self.name = name
    self.description = description
    self.place = place
    self.organiser = organiser
    self.startsAt = startsAt
    self.enrolUntil = enrolUntil
    self.endsAt = endsAt
    self.participantsMax = participantsMax
    self.enrolled = enrolled
    self.endLatitude = endLatitude
    self.endLongitude = endLongitude
    self.lengthMetres = lengthMetres
    self.hasPicture = hasPicture
    self.clausesVersion = clausesVersion
    self.clauses = clauses
  }

  /// Its state at a time.
  func state(at now: Instant) -> RunState {
    RunState(startsAt: startsAt, endsAt: endsAt, now: now)
  }
}

/// The listed run with a code; no row for an unknown code or a cancelled run.
struct PublicRunByCode: Statement {
  typealias Row = PublicRun
  static let sql: SQL<Self> = """
    SELECT run.run_id, publication.code, run.name, run.description, run.place,
           run.organiser_name, run.starts_at, run.enrol_until, run.ends_at,
           run.participants_max, run.enrolled, publication.end_latitude,
           publication.end_longitude, path.length_metres,
           EXISTS (SELECT FROM track4run.pictures AS picture WHERE picture.run_id = run.run_id),
           run.clauses_version, clauses.text
      FROM track4run.publications AS publication
      JOIN track4run.runs AS run USING (run_id)
      JOIN track4run.paths AS path USING (run_id)
      LEFT JOIN track4run.clauses AS clauses
        ON (clauses.run_id, clauses.version) = (run.run_id, run.clauses_version)
     WHERE publication.code = \(\.code)
       AND run.cancelled_at IS NULL
    """
  static let columns = Columns(PublicRun.init)
  let code: String
}
