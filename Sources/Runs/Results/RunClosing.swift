import Data4HelpSync
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Makes the results of finished runs final (RUN-5).
///
/// Results are computed from the stored course and fixes, and stored once. Every replica computes
/// the same, so two at once do no harm.
package struct RunClosing: Sendable {
  private let environment: Environment
  private let database: Database
  private let runData: RunData
  private let reached: LoopBound<Reached>

  /// The last run of the previous round, after which the next one continues: runs that cannot be
  /// closed do not delay the others.
  private final class Reached {
    var last: RunsToClose.Row?
  }

  /// How long after the end of a run late fixes are awaited.
  static let lastFixesWithin = Duration.seconds(30)
  /// The largest number of runs in one round.
  private static let runsMax: Int64 = 10
  /// The number of runners whose fixes are in memory at once.
  private static let runnersAtOnce = 20

  /// Creates the closing of runs in this database.
  package init(environment: Environment, database: Database, runData: RunData) {
    self.environment = environment
    self.database = database
    self.runData = runData
    reached = LoopBound(Reached(), on: database.loop)
  }

  /// Closes finished runs for which all data received by then is stored, which holds up to
  /// `caughtUpAt`.
  ///
  /// - Returns: whether some runs have to wait for that.
  /// - Throws: `unavailable` if the database is unreachable.
  package func close(caughtUpAt: Instant?) async throws(ApplicationError) -> Bool {
    let due = try await database.rows(
      RunsToClose(
        endedBy: environment.now() - Self.lastFixesWithin, after: reached.value.last,
        countMax: Self.runsMax))
    // After the last run of all, the next round starts with the first one.
    reached.value.last = due.count < Self.runsMax ? nil : due.last
    var mustWait = false
    for run in due {
      guard let caughtUpAt, caughtUpAt >= run.endsAt + Self.lastFixesWithin else {
        mustWait = true
        continue
      }
      // An unreadable run does not prevent others from being closed.
      _ = try await runData.unreadable.readable(.run(run.runID)) {
        () async throws(ApplicationError) in
        try await close(run.runID)
      }
    }
    return mustWait
  }

  private func close(_ runID: Int64) async throws(ApplicationError) {
    let results = try await results(of: runID)
    try await database.transaction { (transaction) throws(ApplicationError) in
      guard try await transaction.runOne(HoldRunToClose(runID: runID)) != nil else { return }
      if !results.isEmpty { try await transaction.run(StoreResults(runID, results)) }
      try await transaction.run(CloseRun(runID: runID, now: environment.now()))
    }
  }

  /// The results computed from the stored data of a run; none for a run without a path.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func results(of runID: Int64) async throws(ApplicationError) -> [RunResult] {
    guard let row = try await database.row(RunByID(runID: runID)),
      let path = try await database.row(PathOfRun(runID: runID))?.path
    else { return [] }
    var results = RunResults(on: TimedCourse(Course(path), during: try row.run().times))
    let numbers = try await database.rows(RunnersOfRun(runID: runID))
    for some in numbers.parts(of: Self.runnersAtOnce) {
      let samples = try await runData.samples(
        ofRun: runID, numbers: some, countMax: CheckInSamples.countedMax, from: database)
      for number in some {
        results.add(number, fixes: (samples[number] ?? []).compactMap(\.fix))
        // Large runs take a while; the loop serves other work in between.
        await Task.yield()
      }
    }
    return results.results
  }
}
