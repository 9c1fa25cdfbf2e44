import EventLoop
import Operations
import ServiceKit
import Time

extension RetrySchedule {
  /// Releases of leases: after 1 s, 1 s, 2 s, 2 s, then every 4 s, with any jitter for longer than
  /// a lease lasts. After an outage of the database a hospital is called again within five seconds.
  package static let leaseRelease = RetrySchedule(
    pauses: [.seconds(1), .seconds(1), .seconds(2), .seconds(2)]
      + Array(repeating: .seconds(4), count: 13))
}

/// Releases leases that a fault of the database has left, at growing intervals with jitter: all
/// calls in progress fail at once, and their repeated attempts would delay other work. On one loop.
package final class LeaseRelease {
  private let loop: EventLoop
  private let environment: Environment
  private let lease: Duration
  private var isStopping = false
  private var resting: [Int: CheckedContinuation<Void, Never>] = [:]
  private var restCount = 0

  /// Releases leases of this length.
  package init(on loop: EventLoop, environment: Environment, lease: Duration) {
    self.loop = loop
    self.environment = environment
    self.lease = lease
  }

  /// Repeats `release` until it succeeds, the lease has ended, or this process stops. The first
  /// attempt is after a pause.
  package func run(_ release: () async throws(ApplicationError) -> Void) async {
    let end = loop.now + lease
    var attempts = 1
    while !isStopping {
      let randomness = environment.randomBytes(1).first ?? 0
      let schedule = RetrySchedule.leaseRelease
      guard let pause = schedule.pause(afterAttempts: attempts, randomness: randomness),
        loop.now + pause < end
      else { return }
      await rest(pause)
      do throws(ApplicationError) { return try await release() } catch {
        // The next turn repeats it; the cause was logged.
        attempts += 1
      }
    }
  }

  /// Ends the pauses: each lease that waits has one further attempt, and later ones have none.
  package func stop() {
    isStopping = true
    for continuation in resting.values { continuation.resume() }
    resting = [:]
  }

  private func rest(_ pause: Duration) async {
    restCount += 1
    let number = restCount
    let timer = loop.schedule(after: pause) { [self] in
      resting.removeValue(forKey: number)?.resume()
    }
    await withCheckedContinuation { resting[number] = $0 }
    timer.cancel()
  }
}
