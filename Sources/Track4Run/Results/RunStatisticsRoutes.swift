import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import PublicAPI
import Services

/// Shows runners their results and those of the others (RUN-6).
struct RunStatisticsRoutes: Sendable {
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
    return [routes.identified(.runStatistics, statistics), routes.identified(.ownTrack, track)]
  }

  /// The caller's own positions in a run as a GPX track, with the heart rate if it was shared.
  ///
  /// - Throws: 404 for a runner who is not enrolled, 503.
  @Sendable private func track(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let own = try await surroundings.database.row(
        EnrolmentOfRunner(runID: runID, runner: caller.account))
    else { throw .notFound }
    let samples = try await surroundings.runData.samples(
      ofRun: runID, numbers: [own.number], from: surroundings.database)
    let name = surroundings.runnerNames.opened(
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

  /// - Throws: 404 for a runner who is not enrolled, 503.
  @Sendable private func statistics(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let own = try await surroundings.database.row(
        EnrolmentOfRunner(runID: runID, runner: caller.account)),
      let frame = try await runs.frame(of: runID)
    else { throw .notFound }
    var results: [Int32: RunResult] = [:]
    for row in try await surroundings.database.rows(ResultsOfRun(runID: runID)) {
      results[row.number] = try row.result()
    }
    let isFinal = !results.isEmpty
    let links = surroundings.links
    let runners = frame.standings.map {
      RunnerStatistics(
        $0, results[$0.entry.number], isOwn: $0.entry.number == own.number,
        since: frame.row.startsAt.timestamp)
    }.sorted { $0.order < $1.order }
    return .json { writer in
      writer.field("runID", runID)
      writer.field("runName", frame.row.name)
      writer.field("state", frame.state.rawValue)
      writer.field("final", isFinal)
      writer.field("number", own.number)
      if results[own.number]?.place != nil {
        writer.field("link", links.result(frame.row.code, of: own.number))
        writer.field("preview", links.preview(frame.row.code))
      }
      writer.array("runners") { for runner in runners { runner.write(to: &$0) } }
    }
  }
}

/// A runner's figures, as shown to another runner or to the runner.
private struct RunnerStatistics {
  private let standing: LiveStanding
  private let result: RunResult?
  private let isOwn: Bool
  private let statistics: RunStatistics?

  /// Uses the final result, or the current standing before it exists.
  init(_ standing: LiveStanding, _ result: RunResult?, isOwn: Bool, since startsAt: Timestamp) {
    self.standing = standing
    self.result = result
    self.isOwn = isOwn
    statistics =
      if let result { RunStatistics(of: result, since: startsAt) } else { standing.statistics }
  }

  /// The order of the list: runners with a visible place first, then by number.
  var order: (Int32, Int32) { (isHidden ? .max : place ?? .max, standing.entry.number) }

  private var place: Int32? { result == nil ? standing.place : result?.place }

  /// Whether the runner has paused and the caller is another runner, before results are final
  /// (RUN-12).
  private var isHidden: Bool { result == nil && !isOwn && standing.status == .paused }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("number", standing.entry.number)
      writer.field("runnerName", standing.entry.name)
      writer.field("own", isOwn)
      writer.field("status", result?.outcome.state.rawValue ?? standing.status.word)
      guard !isHidden else { return }
      writer.fieldIfPresent("place", place)
      writer.fieldIfPresent(
        "finishTime", (result == nil ? standing.finishedAt : result?.finishedAt)?.description)
      if let statistics { Self.write(statistics, to: &writer) }
      if isOwn || standing.entry.showsHealth {
        writer.fieldIfPresent("heartRate", standing.meanHeartRate.map(Self.toTenths))
        writer.fieldIfPresent("activeEnergy", standing.kilocalories.map(Self.toTenths))
      }
    }
  }

  private static func write(_ statistics: RunStatistics, to writer: inout JSONWriter) {
    writer.field("distance", toTenths(statistics.metres))
    writer.field("seconds", toTenths(statistics.seconds))
    writer.fieldIfPresent("averagePace", statistics.averagePace.map(toTenths))
    writer.fieldIfPresent("currentPace", statistics.currentPace.map(toTenths))
    writer.array("splits") { writer in
      for split in statistics.splits {
        writer.object {
          $0.field("distance", toTenths(split.metres))
          $0.field("seconds", toTenths(split.seconds))
          $0.field("pace", toTenths(split.pace))
        }
      }
    }
  }

  private static func toTenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }
}
