import EventLoop
import HTTP
import Operations
import Services

/// What happens for groups without anybody asking: days are closed, and months whose data changed
/// are counted again. Every replica runs them on one of its loops; they share the work.
package struct GroupWorkers: Sendable {
  /// How often the workers look.
  package static let interval = Duration.seconds(2)

  /// Blocks and months of a turn, so that stopping never waits for a whole day's work.
  private static let turnMax = 200

  private let counting: DayCounting
  private let subscriptions: GroupSubscriptions
  private let work: LoopBound<RepeatingWork>

  /// Workers that stand still until `start`.
  package init(_ surroundings: Surroundings, _ requests: GroupRequests) {
    let subscriptions = GroupSubscriptions(requests: requests)
    self.subscriptions = subscriptions
    let counting = DayCounting(surroundings: surroundings, noise: requests.counting.personNoise)
    self.counting = counting
    let work = RepeatingWork(on: surroundings.loop) {
      do throws(ApplicationError) {
        let blocks = try await counting.closeDays(blocksMax: Self.turnMax)
        let months = try await counting.recountMarked(countMax: Self.turnMax)
        _ = try await subscriptions.run(countMax: Self.turnMax)
        if blocks >= Self.turnMax || months >= Self.turnMax { return .zero }
      } catch {
        surroundings.log.failure(
          "background work failed", error, level: .warning, .word("work", "months"))
      }
      return Self.interval
    }
    self.work = LoopBound(work, on: surroundings.loop)
  }

  /// Begins to work. On the loop.
  package func start() { work.value.start() }

  /// Ends after what is under way. On the loop.
  package func stop() async { await work.value.stop() }

  /// Closes the days that are over; gives how many blocks of people it did. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func closeDays() async throws(ApplicationError) -> Int {
    try await counting.closeDays(blocksMax: .max)
  }

  /// Releases the closed windows of subscriptions and ends those whose time is over; gives how many
  /// it looked after. On the loop.
  ///
  /// - Throws: 503 if the database is away.
  package func releaseWindows() async throws(ApplicationError) -> Int {
    try await subscriptions.run(countMax: .max)
  }

  /// Counts the marked months again; gives how many. On the loop.
  ///
  /// - Throws: 503 if a database is away.
  package func recountMarked() async throws(ApplicationError) -> Int {
    try await counting.recountMarked(countMax: .max)
  }
}
