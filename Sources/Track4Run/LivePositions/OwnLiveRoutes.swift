import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// What organisers see of their runs while they are on, and what runners choose then (RUN-8,
/// RUN-12).
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

  /// What is handed out here stands in the runners' record of accesses since it came from
  /// Data4Help, with the organiser as who got it.
  ///
  /// - Throws: 404 for a run that is not the caller's or not listed, 503.
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

  /// - Throws: 404 for who is not in the run, or once it is over, 503.
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
