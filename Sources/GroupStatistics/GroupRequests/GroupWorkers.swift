import EventLoop
import Operations
import ServiceKit

/// The background work of groups: closes days, and counts months again whose data changed. Every
/// replica runs it on one of its loops; replicas share the work.
package struct GroupWorkers: Sendable {
  /// The pause between two turns.
  package static let interval = Duration.seconds(2)

  /// The maximum number of blocks and months in a turn, so that stopping never waits for a whole
  /// day's work.
  private static let turnMax = 200

  private let counting: DayCounting
  private let subscriptions: GroupSubscriptions
  private let work: LoopBound<PeriodicTask>

  /// Workers that do nothing until `start`.
  package init(_ dependencies: GroupStatisticsDependencies, _ requests: GroupRequests) {
    let subscriptions = GroupSubscriptions(requests: requests)
    self.subscriptions = subscriptions
    let counting = DayCounting(dependencies: dependencies, noise: requests.counting.personNoise)
    self.counting = counting
    let rounds = LoopBound(RecountRounds(), on: dependencies.loop)
    let work = PeriodicTask(on: dependencies.loop) {
      do throws(ApplicationError) {
        let blocks = try await counting.closeDays(blocksMax: Self.turnMax)
        let isCounting = try await Self.recount(counting, rounds)
        _ = try await subscriptions.run(countMax: Self.turnMax)
        if blocks >= Self.turnMax || isCounting { return .zero }
      } catch {
        dependencies.log.failure(
          "run background work failed", error, level: .warning, .constant("work", "groups"))
      }
      return Self.interval
    }
    self.work = LoopBound(work, on: dependencies.loop)
  }

  /// Counts some months of the round; true if it has more.
  private static func recount(
    _ counting: DayCounting, _ rounds: LoopBound<RecountRounds>
  ) async throws(ApplicationError) -> Bool {
    let now = rounds.loop.now
    if rounds.value.isDue(at: now) {
      rounds.value.begin(marks: try await counting.marks(), at: now)
    }
    let most = min(turnMax, rounds.value.left)
    guard most > 0 else { return false }
    rounds.value.counted(try await counting.recountMarked(countMax: most))
    return rounds.value.left > 0
  }

  /// Starts the work. On the loop.
  package func start() { work.value.start() }

  /// Returns after the turn in progress. On the loop.
  package func stop() async { await work.value.stop() }

  /// Closes the days that are over; returns the number of blocks of people. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func closeDays() async throws(ApplicationError) -> Int {
    try await counting.closeDays(blocksMax: .max)
  }

  /// Releases the closed windows of subscriptions and ends those that are over; returns the number
  /// of subscriptions. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func releaseWindows() async throws(ApplicationError) -> Int {
    try await subscriptions.run(countMax: .max)
  }

  /// Counts the marked months again; returns their number. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  package func recountMarked() async throws(ApplicationError) -> Int {
    try await counting.recountMarked(countMax: .max)
  }
}
