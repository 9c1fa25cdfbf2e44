/// A point on the monotonic clock, for time-outs and measurements; meaningful in this process only.
public struct MonotonicInstant: Comparable, Hashable, Sendable {
  /// Nanoseconds since the clock's origin, which is arbitrary.
  public var nanoseconds: Int64

  /// The instant `nanoseconds` after the clock's origin.
  @inlinable public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The clock's origin.
  @inlinable public static var zero: Self { Self(nanoseconds: 0) }

  /// Later than every other instant.
  @inlinable public static var never: Self { Self(nanoseconds: .max) }

  /// Whether `left` is earlier than `right`.
  @inlinable public static func < (left: Self, right: Self) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The instant `duration` later.
  @inlinable public static func + (instant: Self, duration: Duration) -> Self {
    Self(nanoseconds: instant.nanoseconds + duration.wholeNanoseconds)
  }

  /// The time from `earlier` to `later`.
  @inlinable public static func - (later: Self, earlier: Self) -> Duration {
    Duration(wholeNanoseconds: later.nanoseconds - earlier.nanoseconds)
  }
}
