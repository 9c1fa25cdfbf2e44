import CLinux

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

/// The system's monotonic clock (`CLOCK_MONOTONIC`).
package enum MonotonicClock {
  /// The current instant.
  package static var now: MonotonicInstant {
    let time = readClock(CLOCK_MONOTONIC)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// A point in civil time by the operating system's clock (`CLOCK_REALTIME`), which may jump.
package struct WallTime: Comparable, Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z, without leap seconds.
  package var microsecondsSince1970: Int64

  /// The time `microsecondsSince1970` after the epoch.
  package init(microsecondsSince1970: Int64) {
    self.microsecondsSince1970 = microsecondsSince1970
  }

  /// Milliseconds since 1970-01-01T00:00:00Z, rounded down.
  package var millisecondsSince1970: Int64 {
    microsecondsSince1970 >= 0
      ? microsecondsSince1970 / 1000 : (microsecondsSince1970 - 999) / 1000
  }

  /// The operating system's current time.
  package static var system: WallTime {
    let time = readClock(CLOCK_REALTIME)
    return WallTime(
      microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Whether `left` is earlier than `right`.
  package static func < (left: Self, right: Self) -> Bool {
    left.microsecondsSince1970 < right.microsecondsSince1970
  }

  /// The time `duration` later.
  package static func + (time: Self, duration: Duration) -> Self {
    Self(microsecondsSince1970: time.microsecondsSince1970 + duration.wholeNanoseconds / 1000)
  }

  /// The time `duration` earlier.
  package static func - (time: Self, duration: Duration) -> Self {
    time + (.zero - duration)
  }
}

private func readClock(_ clock: clockid_t) -> timespec {
  var time = timespec()
  // SAFETY: `time` outlives the call; both clocks exist on every Linux.
  _ = unsafe clock_gettime(clock, &time)
  return time
}
