import Domain
import EventLoop
import Postgres
import Services

/// A listed run as everybody may see it by its code.
package struct PublicRun: Sendable {
  /// Its number.
  package let runID: Int64
  /// Its code.
  package let code: String
  /// What it is called.
  package let name: String
  /// What it is about, where something was said.
  package let description: String?
  /// Where it is, in words, where something was said.
  package let place: String?
  /// The name of the company that organises it.
  package let organiser: String
  /// When it begins.
  package let startsAt: WallTime
  /// The last moment to enrol.
  package let enrolUntil: WallTime
  /// When it ends.
  package let endsAt: WallTime
  /// How many may join.
  package let participantsMax: Int32
  /// How many have joined.
  package let enrolled: Int32
  /// Where its path ends, degrees north.
  package let endLatitude: Double
  /// Where its path ends, degrees east.
  package let endLongitude: Double
  /// How long its path is.
  package let lengthMetres: Double
  /// Whether it has a picture.
  package let hasPicture: Bool
  /// The version of its clauses; nil without clauses.
  package let clausesVersion: Int32?
  /// The text of its clauses, if it has some.
  package let clauses: String?

  /// A run of these parts.
  package init(
    runID: Int64, code: String, name: String, description: String?, place: String?,
    organiser: String, startsAt: WallTime, enrolUntil: WallTime, endsAt: WallTime,
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

  /// Where it stands at a moment.
  func state(at now: WallTime) -> RunState {
    RunState(startsAt: startsAt.timestamp, endsAt: endsAt.timestamp, now: now.timestamp)
  }
}

/// The listed run that has a code; no row for a code that none has, or a cancelled one.
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
