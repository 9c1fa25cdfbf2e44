import CLinux
import Time

/// The system's monotonic clock (`CLOCK_MONOTONIC`).
package enum MonotonicClock {
  /// The current instant.
  package static var now: MonotonicInstant {
    let time = readClock(CLOCK_MONOTONIC)
    return MonotonicInstant(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension Instant {
  /// The current civil time by the operating system's clock (`CLOCK_REALTIME`), which may jump.
  package static var system: Instant {
    let time = readClock(CLOCK_REALTIME)
    return Instant(
      microsecondsSince1970: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }
}

private func readClock(_ clock: clockid_t) -> timespec {
  var time = timespec()
  // SAFETY: `time` outlives the call; both clocks exist on every Linux.
  _ = unsafe clock_gettime(clock, &time)
  return time
}
