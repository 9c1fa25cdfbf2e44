import Domain
import HTTP
import Postgres
import PublicAPI
import ServiceKit
import Web

/// Shows runners the track of their own positions (RUN-6).
struct RunnerTrackRoutes: Sendable {
  private let database: Database
  private let runData: RunData
  private let runnerNames: RunnerNames

  /// Routes of one loop.
  init(database: Database, runData: RunData, runnerNames: RunnerNames) {
    self.database = database
    self.runData = runData
    self.runnerNames = runnerNames
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.ownTrack, track)] }

  /// The caller's own positions in a run as a GPX track, with the heart rate if it was shared.
  ///
  /// - Throws: 404 if the runner is not enrolled, 503.
  @Sendable private func track(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let own = try await database.row(
        EnrolmentOfRunner(runID: runID, runner: caller.account))
    else { throw .notFound }
    let samples = try await runData.samples(
      ofRun: runID, numbers: [own.number], from: database)
    let name = runnerNames.opened(
      own.sealedName, in: runID, of: caller.account, number: own.number)
    let file = RunFile.gpx
    let shared = (samples[own.number] ?? []).sorted {
      ($0.time, $0.type.rawValue) < ($1.time, $1.type.rawValue)
    }
    let runner = RunFile.Runner(number: own.number, name: name)
    var response = Response(
      contentType: file.contentType, bytes: file.head + file.bytes(of: runner, shared) + file.tail)
    response.fields.append(
      .contentDisposition, "attachment; filename=\"run-\(runID)-\(own.number).gpx\"")
    return response
  }
}
