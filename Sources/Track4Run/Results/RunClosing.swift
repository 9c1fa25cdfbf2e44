import Domain
import EventLoop
import HTTP
import Postgres
import Services

/// Makes the results of runs that are over final (RUN-5).
///
/// They are computed from what is stored of course and fixes, and stored once: whoever computes
/// them comes to the same, so that two replicas at it do no harm.
package struct RunClosing: Sendable {
  private let world: World
  private let database: Database
  private let runData: RunData
  private let reached: LoopBound<Reached>

  /// The last run of the round before, behind which the next one begins: runs that cannot be closed
  /// hold up none that can.
  private final class Reached {
    var last: RunsToClose.Row?
  }

  /// How long after the end of a run fixes are waited for that were under way.
  static let lastFixesWithin = Duration.seconds(30)
  /// Runs of one round at most.
  private static let runsMax: Int64 = 10
  /// Runners whose fixes are in memory at once.
  private static let runnersAtOnce = 20

  /// Closes runs of this database.
  package init(world: World, database: Database, runData: RunData) {
    self.world = world
    self.database = database
    self.runData = runData
    reached = LoopBound(Reached(), on: database.loop)
  }

  /// Closes runs that are over, once everything that was told by then is stored, which is so up to
  /// `caughtUpAt`; gives whether there are runs that wait for that.
  ///
  /// - Throws: 503 if the database is away.
  package func close(caughtUpAt: WallTime?) async throws(ApplicationError) -> Bool {
    let due = try await database.rows(
      RunsToClose(
        endedBy: world.now() - Self.lastFixesWithin, behind: reached.value.last,
        countMax: Self.runsMax))
    // Behind the last one of all comes the first one again.
    reached.value.last = due.count < Self.runsMax ? nil : due.last
    var isBehind = false
    for run in due {
      guard let caughtUpAt, caughtUpAt >= run.endsAt + Self.lastFixesWithin else {
        isBehind = true
        continue
      }
      // One that cannot be read keeps no other from being closed.
      _ = try await runData.unreadable.readable(.run(run.runID)) {
        () async throws(ApplicationError) in
        try await close(run.runID)
      }
    }
    return isBehind
  }

  private func close(_ runID: Int64) async throws(ApplicationError) {
    let results = try await results(of: runID)
    try await database.transaction { (transaction) throws(ApplicationError) in
      guard try await transaction.runOne(HoldRunToClose(runID: runID)) != nil else { return }
      if !results.isEmpty { try await transaction.run(StoreResults(runID, results)) }
      try await transaction.run(CloseRun(runID: runID, now: world.now()))
    }
  }

  /// What is stored of a run comes to; nothing of one without a path.
  ///
  /// - Throws: 503 if the database is away.
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
        // Many runners take a while, which the loop has for others too.
        await Task.yield()
      }
    }
    return results.results
  }
}
