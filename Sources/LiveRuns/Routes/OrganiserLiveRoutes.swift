import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import Runs
import ServiceKit
import Time
import Web

/// Live views for organisers, and the choices of runners during a run (RUN-8, RUN-12).
struct OrganiserLiveRoutes: Sendable {
  private let runs: LiveFrames
  private let environment: Environment
  private let database: Database
  private let effects: IdempotentEffects

  /// Routes of one loop.
  init(_ runs: LiveFrames, environment: Environment, database: Database, effects: IdempotentEffects)
  {
    self.runs = runs
    self.environment = environment
    self.database = database
    self.effects = effects
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = EndpointRoutes()
    return [routes.identified(.watchOwnRun, watch), routes.identified(.pauseSharing, pause)]
  }

  /// The runners' record of accesses has listed this organiser as recipient since Data4Help
  /// delivered the data shown here.
  ///
  /// - Throws: 404 for a run that is not listed or another organiser's, 503.
  @Sendable private func watch(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }) else { throw .notFound }
    let organised = RunOfOrganiser(runID: runID, thirdParty: caller.account)
    guard let row = try await database.row(organised),
      let frame = try await runs.frame(of: runID)
    else { throw .notFound }
    return .json(frame.organiserDocument(withHealth: row.organiser == caller.account))
  }

  /// - Throws: 404 for a runner outside of the run and after its end, 503.
  @Sendable private func pause(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: PauseSharingBody = try request.payload()
    let now = environment.now()
    return try await effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      let paused = try await transaction.runOne(
        PauseSharing(
          runID: payload.runID, runner: caller.account, isPaused: payload.isPaused, now: now))
      guard paused != nil else { throw .notFound }
      return .message("Settings updated") { $0.field("paused", payload.isPaused) }
    }
  }
}

/// Shows or hides a runner's position from now on; no row if the runner isn't in the run, or
/// after its end.
struct PauseSharing: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments AS enrolment
       SET is_paused = \(\.isPaused)
      FROM track4run.runs AS run
     WHERE run.run_id = enrolment.run_id
       AND run.ends_at > \(\.now)
       AND run.cancelled_at IS NULL
       AND enrolment.run_id = \(\.runID)
       AND enrolment.account_id = \(\.runner)
       AND enrolment.left_at IS NULL
    RETURNING enrolment.number
    """
  let runID: Int64
  let runner: AccountID
  let isPaused: Bool
  let now: Instant
}
