import Bytes
import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Follows revocations, one watch per process. The end of a request is confirmed only after every
/// loop of every replica has dropped its data, whichever replica received the end.
///
/// Each process has a lease in the database, and renews it as it follows. After a kill, revocations
/// wait until the lease expires; a process that hung or lost the database closes its fences before
/// that. Only for its loop.
package final class RevocationWatch {
  /// How often revocations of other processes are read.
  static let pause = Duration.milliseconds(50)
  /// How often the lease is renewed.
  static let renewal = Duration.seconds(1)
  /// How long fences stay open after the start of a renewal: a second less than the lease in the
  /// row.
  static let lease = Duration.seconds(4)
  /// The pause after a failure of the database.
  static let failurePause = Duration.milliseconds(200)

  private let loop: EventLoop
  private let database: Database
  private let revocations: Revocations
  private let fences: RevocationFences
  private let log: Log
  private let replica: UniversalID
  private var seen: Int64?
  private var renewedAt = MonotonicInstant.zero
  private var work: PeriodicTask?

  /// A watch, inactive until `start`.
  package init(
    loop: EventLoop, database: Database, revocations: Revocations, fences: RevocationFences,
    log: Log
  ) {
    self.loop = loop
    self.database = database
    self.revocations = revocations
    self.fences = fences
    self.log = log
    replica = .random()
  }

  /// Starts following. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: loop)
    let work = PeriodicTask(on: loop) { await bound.value.turn() }
    self.work = work
    revocations.onSignal { work.wake() }
    work.start()
  }

  /// Stops following and closes all fences of this process. On the loop.
  package func stop() async {
    await work?.stop()
    await fences.each { $0.close() }
    do throws(ApplicationError) {
      _ = try await database.effect(LeaveDelivering(replica: replica))
    } catch {
      log.failure("release delivery lease failed", error, level: .warning)
    }
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      try await follow()
      return Self.pause
    } catch {
      log.failure("read revocations failed", error, level: .warning)
      return Self.failurePause
    }
  }

  private func follow() async throws(ApplicationError) {
    guard let seen else { return try await join() }
    let rows = try await database.rows(RevocationsAfter(number: seen))
    let revoked = Revoked(
      requestIDs: Set(rows.compactMap(\.requestID)), accounts: Set(rows.compactMap(\.account)))
    if !revoked.isEmpty { await fences.each { await $0.revoke(revoked) } }
    let now = loop.now
    guard !rows.isEmpty || now - renewedAt >= Self.renewal else { return }
    let last = rows.last?.number ?? seen
    let follow = AdvanceReplica(replica: replica, seen: last)
    guard try await database.effect(follow) != nil else {
      self.seen = nil
      return try await join()
    }
    self.seen = last
    await extend(from: now)
  }

  private func join() async throws(ApplicationError) {
    let now = loop.now
    seen = try await database.effect(JoinDelivering(replica: replica))
    fences.join(as: replica)
    await extend(from: now)
  }

  private func extend(from start: MonotonicInstant) async {
    renewedAt = start
    let end = start + Self.lease
    await fences.each { $0.extend(until: end) }
  }
}
