import Time

/// Decides whether a loop polls for events before it sleeps.
///
/// Waking a thread up takes up to 50 µs on a virtual machine, longer than a service needs for a
/// short answer. A loop that handles one request after the other therefore polls; one that is idle,
/// that waits for longer, or that finds several events at a time never does.
package struct BusyPolling {
  /// How long a loop polls, and the longest interval between single events after which it does, in
  /// nanoseconds. Measured in `docs/benchmarks.md`.
  static let nanosecondsMax: Int64 = 100_000
  /// How many single events must follow each other closely: those of four requests.
  static let eventsRequired = 8

  private var closeEvents = 0
  private var latest = MonotonicInstant.zero

  /// That of a loop that has had no events.
  package init() {}

  /// Whether the next event is likely to arrive sooner than a sleeping thread would wake up.
  package var isWorthwhile: Bool { closeEvents >= Self.eventsRequired }

  /// Takes account of a turn that began at `now` with `count` events.
  package mutating func note(events count: Int, at now: MonotonicInstant) {
    let isClose = now.nanoseconds - latest.nanoseconds <= Self.nanosecondsMax
    closeEvents = count == 1 && isClose ? min(closeEvents + 1, Self.eventsRequired) : 0
    latest = now
  }
}
