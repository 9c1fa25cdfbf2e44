import CLinux

/// Time and chance as arguments: what the program would otherwise ask of its surroundings.
///
/// Tests pass a world of their own, so that nothing in them depends on the day or on luck.
package struct World: Sendable {
  /// The present civil time.
  package var now: @Sendable () -> WallTime
  /// The present instant of the clock that never jumps.
  package var monotonicNow: @Sendable () -> MonotonicInstant
  /// That many bytes that nobody can guess.
  package var randomBytes: @Sendable (_ count: Int) -> [UInt8]

  /// A world made of the given clock and chance.
  package init(
    now: @escaping @Sendable () -> WallTime,
    monotonicNow: @escaping @Sendable () -> MonotonicInstant,
    randomBytes: @escaping @Sendable (_ count: Int) -> [UInt8]
  ) {
    self.now = now
    self.monotonicNow = monotonicNow
    self.randomBytes = randomBytes
  }

  /// The operating system's clocks and its random generator.
  package static let system = World(
    now: { .system }, monotonicNow: { MonotonicClock.now }, randomBytes: systemRandomBytes)
}

private func systemRandomBytes(_ count: Int) -> [UInt8] {
  var generator = SystemRandomNumberGenerator()
  return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
}
