import Domain
import JSON
import Postgres
import PublicAPI
import Runs
import ServiceKit
import Time
import Web

/// Shows runners their results and those of the others (RUN-6).
struct RunStatisticsRoutes: Sendable {
  private let runs: LiveFrames
  private let database: Database
  private let links: PublicLinks

  /// Routes of one loop.
  init(_ runs: LiveFrames, database: Database, links: PublicLinks) {
    self.runs = runs
    self.database = database
    self.links = links
  }

  /// The rows of the route table.
  var routes: [Route] { [EndpointRoutes().identified(.runStatistics, statistics)] }

  /// - Throws: 404 if the runner is not enrolled, 503.
  @Sendable private func statistics(
    _ request: Request, _ caller: Identity
  ) async throws(ApplicationError) -> Response {
    guard let runID = request.query["runID"].flatMap({ Int64($0) }),
      let own = try await database.row(
        EnrolmentOfRunner(runID: runID, runner: caller.account)),
      let frame = try await runs.frame(of: runID)
    else { throw .notFound }
    var results: [Int32: RunResult] = [:]
    for row in try await database.rows(ResultsOfRun(runID: runID)) {
      results[row.number] = try row.result()
    }
    let isFinal = !results.isEmpty
    let runners = frame.standings.map {
      RunnerStatistics(
        $0, results[$0.entry.number], isCaller: $0.entry.number == own.number,
        since: frame.row.startsAt)
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
  private let isCaller: Bool
  private let statistics: RunStatistics?

  /// Uses the final result, or the current standing before it exists.
  init(_ standing: LiveStanding, _ result: RunResult?, isCaller: Bool, since startsAt: Instant) {
    self.standing = standing
    self.result = result
    self.isCaller = isCaller
    statistics =
      if let result { RunStatistics(of: result, since: startsAt) } else { standing.statistics }
  }

  /// The order of the list: runners with a visible rank first, then by number.
  var order: (Int32, Int32) { (isHidden ? .max : rank ?? .max, standing.entry.number) }

  private var rank: Int32? { result == nil ? standing.rank : result?.place }

  /// Whether the runner has paused and the caller is another runner, before results are final
  /// (RUN-12).
  private var isHidden: Bool { result == nil && !isCaller && standing.status == .paused }

  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("number", standing.entry.number)
      writer.field("runnerName", standing.entry.name)
      writer.field("own", isCaller)
      writer.field("status", result?.outcome.state.rawValue ?? standing.status.apiName)
      guard !isHidden else { return }
      writer.fieldIfPresent("place", rank)
      writer.fieldIfPresent(
        "finishTime", (result == nil ? standing.finishedAt : result?.finishedAt)?.description)
      if let statistics { Self.write(statistics, to: &writer) }
      if isCaller || standing.entry.showsHealth {
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
