import CLinux
import Time

/// Clocks and randomness as arguments.
///
/// Tests pass their own, so that no result depends on the date or on random values.
package struct Environment: Sendable {
  /// The current civil time.
  package var now: @Sendable () -> Instant
  /// The current instant of the monotonic clock.
  package var monotonicNow: @Sendable () -> MonotonicInstant
  /// Returns `count` bytes from a cryptographically secure generator.
  package var randomBytes: @Sendable (_ count: Int) -> [UInt8]

  /// Combines the given clocks and source of random bytes.
  package init(
    now: @escaping @Sendable () -> Instant,
    monotonicNow: @escaping @Sendable () -> MonotonicInstant,
    randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
  ) {
    self.now = now
    self.monotonicNow = monotonicNow
    self.randomBytes = randomBytes
  }

  /// The operating system's clocks and its random generator.
  package static let system = Environment(
    now: { .system }, monotonicNow: { MonotonicClock.now }, randomBytes: systemRandomBytes)
}

private func systemRandomBytes(_ count: Int) -> [UInt8] {
  // Each word costs a system call.
  var generator = SystemRandomNumberGenerator()
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count)
  while bytes.count < count {
    var word = generator.next()
    for _ in 0..<min(8, count - bytes.count) {
      bytes.append(UInt8(truncatingIfNeeded: word))
      word >>= 8
    }
  }
  return bytes
}
