import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Decides whether a leaving runner has a result to keep.
struct RunnerResult: Sendable {
  private let environment: Environment
  private let database: Database
  private let runData: RunData

  /// Creates results of the runs in this database.
  init(environment: Environment, database: Database, runData: RunData) {
    self.environment = environment
    self.database = database
    self.runData = runData
  }

  /// Whether the runner has a place in final results, or has crossed the finish by the stored data.
  ///
  /// - Throws: `unavailable`.
  func isKept(in runID: Int64, of runner: AccountID) async throws(ApplicationError) -> Bool {
    guard let own = try await database.row(EnrolmentOfRunner(runID: runID, runner: runner)),
      let row = try await database.row(RunByID(runID: runID)), row.cancelledAt == nil
    else { return false }
    let times = try row.run().times
    guard times.hasBegun(at: environment.now().flooredToMilliseconds) else { return false }
    if let hasRank = try await database.row(HasRank(runID: runID, number: own.number)) {
      return hasRank
    }
    guard let path = try await database.row(PathOfRun(runID: runID))?.path else { return false }
    let samples = try await runData.samples(
      ofRun: runID, numbers: [own.number], countMax: CheckInSamples.countedMax, from: database)
    var results = RunResults(on: TimedCourse(Course(path), during: times))
    results.add(own.number, fixes: (samples[own.number] ?? []).compactMap(\.fix))
    return results.results.contains { $0.outcome == .finished }
  }
}
