import Domain
import EventLoop
import HTTP
import Operations
import Privacy
import Services

/// Follows recalls, one watch a process: whatever loop holds something of a request that was ended
/// drops it, and only then the end is answered, on whatever replica it was asked for.
///
/// Each process has a lease in the database, and renews it as it follows. One that was killed is
/// waited for until its lease ends; one that stood still, or lost the database, closes its fences
/// before. For its loop.
package final class RecallWatch {
  /// How often recalls of other processes are looked for.
  static let pause = Duration.milliseconds(50)
  /// How often the lease is renewed.
  static let renewal = Duration.seconds(1)
  /// How long fences stay open after a renewal was begun: a second less than the row says.
  static let lease = Duration.seconds(4)
  /// How long work rests after a failure of the database.
  static let failurePause = Duration.milliseconds(200)

  private let surroundings: Surroundings
  private let replica: UniversalID
  private var seen: Int64?
  private var renewedAt = MonotonicInstant.zero
  private var work: RepeatingWork?

  /// A watch that stands still until `start`.
  package init(_ surroundings: Surroundings) {
    self.surroundings = surroundings
    replica = .random()
  }

  /// Begins to follow. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: surroundings.loop)
    let work = RepeatingWork(on: surroundings.loop) { await bound.value.turn() }
    self.work = work
    surroundings.recalls.heard { work.wake() }
    work.start()
  }

  /// Ends: nothing of this process may be handed out any more. On the loop.
  package func stop() async {
    await work?.stop()
    await surroundings.fences.each { $0.close() }
    do throws(ApplicationError) {
      _ = try await surroundings.database.effect(LeaveDelivering(replica: replica))
    } catch {
      surroundings.log.failure("release delivery lease failed", error, level: .warning)
    }
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      try await follow()
      return Self.pause
    } catch {
      surroundings.log.failure("follow recalls failed", error, level: .warning)
      return Self.failurePause
    }
  }

  private func follow() async throws(ApplicationError) {
    guard let seen else { return try await join() }
    let rows = try await surroundings.database.rows(RecallsBehind(number: seen))
    let recalled = Recalled(
      requestIDs: Set(rows.compactMap(\.requestID)), accounts: Set(rows.compactMap(\.account)))
    if !recalled.isEmpty { await surroundings.fences.each { await $0.recall(recalled) } }
    let now = surroundings.loop.now
    guard !rows.isEmpty || now - renewedAt >= Self.renewal else { return }
    let last = rows.last?.number ?? seen
    let follow = FollowRecalls(replica: replica, seen: last)
    guard try await surroundings.database.effect(follow) != nil else {
      self.seen = nil
      return try await join()
    }
    self.seen = last
    await extend(from: now)
  }

  private func join() async throws(ApplicationError) {
    let now = surroundings.loop.now
    seen = try await surroundings.database.effect(JoinDelivering(replica: replica))
    surroundings.fences.join(as: replica)
    await extend(from: now)
  }

  private func extend(from start: MonotonicInstant) async {
    renewedAt = start
    let end = start + Self.lease
    await surroundings.fences.each { $0.extend(until: end) }
  }
}
