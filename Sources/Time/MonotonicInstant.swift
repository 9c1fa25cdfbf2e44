/// A point on the monotonic clock, for time-outs and measurements; meaningful in this process only.
package struct MonotonicInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin, which is arbitrary.
  package var nanoseconds: Int64

  /// The instant `nanoseconds` after the clock's origin.
  package init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The clock's origin.
  package static let zero = MonotonicInstant(nanoseconds: 0)

  /// Later than every other instant.
  package static let never = MonotonicInstant(nanoseconds: .max)

  /// Whether `left` is earlier than `right`.
  @inlinable package static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `duration` later.
  @inlinable package static func + (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds + duration.wholeNanoseconds)
  }

  /// The time from `earlier` to `later`.
  @inlinable package static func - (later: Self, earlier: Self) -> Duration {
    Duration(wholeNanoseconds: later.nanoseconds - earlier.nanoseconds)
  }
}
