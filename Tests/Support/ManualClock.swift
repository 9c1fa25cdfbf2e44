import EventLoop
import Synchronization
import Time

/// A civil clock that changes only when a test changes it.
package final class ManualClock: Sendable {
  private let time: Mutex<Instant>

  /// A clock that begins at a time.
  package init(_ start: Instant) { time = Mutex(start) }

  /// The current time.
  package var now: Instant { time.withLock { $0 } }

  /// The world of the operating system, with this clock as its civil time.
  package var environment: Environment {
    var environment = Environment.system
    environment.now = { [self] in now }
    return environment
  }

  /// Changes the current time.
  package func set(_ now: Instant) { time.withLock { $0 = now } }

  /// Advances the clock.
  package func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }
}
