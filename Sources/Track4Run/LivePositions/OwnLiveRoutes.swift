import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// Live views for organisers, and the choices of runners during a run (RUN-8, RUN-12).
struct OwnLiveRoutes: Sendable {
  private let surroundings: LiveSurroundings
  private let runs: LiveRuns

  /// Routes of one loop.
  init(_ surroundings: LiveSurroundings, runs: LiveRuns) {
    self.surroundings = surroundings
    self.runs = runs
  }

  /// The rows of the route table.
  var routes: [Route] {
    let routes = surroundings.routes
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
    let own = RunOfOrganiser(runID: runID, thirdParty: caller.account)
    guard let row = try await surroundings.database.row(own),
      let frame = try await runs.frame(of: runID)
    else { throw .notFound }
    return .json(frame.organiserDocument(withHealth: row.organiser == caller.account))
  }

  /// - Throws: 404 for a runner who is not in the run, or after its end, 503.
  @Sendable private func pause(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: PausePayload = try request.payload()
    let now = surroundings.world.now()
    return try await surroundings.effects.run(request, for: caller.account) {
      (transaction) throws(ApplicationError) in
      let paused = try await transaction.runOne(
        PauseSharing(
          runID: payload.runID, runner: caller.account, isPaused: payload.isPaused, now: now))
      guard paused != nil else { throw .notFound }
      return .message("Settings updated") { $0.field("paused", payload.isPaused) }
    }
  }
}

/// The body of `POST /t4r/my/pause`.
struct PausePayload: JSONReadable {
  let runID: Int64
  let isPaused: Bool

  init(from reader: inout JSONReader) throws(JSONError) {
    var runID: Int64?
    var isPaused: Bool?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "runID": runID = try reader.runID()
      case "paused": isPaused = try reader.boolean()
      default: break
      }
    }
    self.runID = try reader.mandatory("runID", runID)
    self.isPaused = try reader.mandatory("paused", isPaused)
  }
}
