import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

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
