import Domain
import JSON
import Postgres
import ServiceKit
import Time

/// A run as its enrolled runners see it.
struct JoinedRun: RunInList, Sendable {
  let runID: Int64
  let code: String
  let name: String
  let organiser: String
  let place: String?
  let startsAt: Instant
  let endsAt: Instant
  let cancelledAt: Instant?
  let number: Int32
  let sealedName: [UInt8]?
  let showsHealth: Bool
  let isFindable: Bool
  let isFindableByName: Bool
  let joinedAt: Instant
  let checkedInAt: Instant?
  let clausesVersion: Int32?
  let clausesAcceptedAt: Instant?

  /// Writes the fields of the runner's list.
  func write(_ runnerName: String?, to writer: inout JSONWriter, now: Instant) {
    let state = RunState(
      startsAt: startsAt, endsAt: endsAt, now: now)
    writer.object {
      $0.field("runID", runID)
      $0.field("code", code)
      $0.field("runName", name)
      $0.field("organiser", organiser)
      if let place { $0.field("place", place) }
      $0.field("startTime", startsAt.description)
      $0.field("endTime", endsAt.description)
      $0.field("state", state.rawValue)
      $0.field("cancelled", cancelledAt != nil)
      $0.field("number", number)
      if let runnerName { $0.field("runnerName", runnerName) }
      $0.field("showHealth", showsHealth)
      $0.field("findable", isFindable)
      $0.field("findableByName", isFindableByName)
      $0.field("joinedAt", joinedAt.description)
      $0.field("checkedIn", checkedInAt != nil)
      $0.fieldIfPresent("clausesVersion", clausesVersion)
      $0.fieldIfPresent("clausesAcceptedAt", clausesAcceptedAt?.description)
    }
  }
}

/// A page of the runs in which a runner is enrolled, the latest start first.
struct RunsOfRunner: RunList {
  typealias Row = JoinedRun
  static let sql: SQL<Self> = """
    SELECT run.run_id, publication.code, run.name, run.organiser_name, run.place, run.starts_at,
           run.ends_at, run.cancelled_at, enrolment.number, enrolment.sealed_name,
           enrolment.shows_health, enrolment.is_findable, enrolment.is_findable_by_name,
           enrolment.joined_at, enrolment.checked_in_at, enrolment.clauses_version,
           enrolment.clauses_accepted_at
      FROM track4run.enrolments AS enrolment
      JOIN track4run.runs AS run USING (run_id)
      JOIN track4run.publications AS publication USING (run_id)
     WHERE enrolment.account_id = \(\.runner)
       AND enrolment.left_at IS NULL
       AND (\(\.beforeStart) IS NULL
            OR (run.starts_at, -run.run_id) < (\(\.beforeStart), -\(\.beforeRun)))
     ORDER BY run.starts_at DESC, run.run_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(JoinedRun.init)

  let runner: AccountID
  var beforeStart: Instant?
  var beforeRun: Int64 = 0
  var limit: Int32 = 0

  /// All runs of the runner; a page sets the limit.
  init(runner: AccountID) {
    self.runner = runner
  }
}
