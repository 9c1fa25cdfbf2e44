import Time

/// The rounds in which marked months are counted again: one in ten seconds, of the months that are
/// marked at its start.
///
/// A device that was offline sends samples of past days in many uploads, and each upload marks its
/// month. Counting a month after each of them takes more processor time than storing them.
///
/// For one loop.
package final class RecountRounds {
  /// The time from the start of a round to the next one.
  package static let interval = Duration.seconds(10)
  /// The maximum number of months in a round. With so many marks, as after imports, the next round
  /// follows at once.
  package static let marksMax = 10_000

  /// The months that this round may still count.
  package private(set) var left = 0
  private var next = MonotonicInstant(nanoseconds: 0)

  /// The first round can begin at once.
  package init() {}

  /// Whether a round can begin.
  package func isDue(at now: MonotonicInstant) -> Bool { left == 0 && now >= next }

  /// Begins a round of the months that are marked.
  package func begin(marks: Int, at now: MonotonicInstant) {
    left = marks
    next = marks < Self.marksMax ? now + Self.interval : now
  }

  /// Notes that months were counted; none means that other replicas have counted the rest.
  package func counted(_ count: Int) {
    left = count > 0 ? max(0, left - count) : 0
  }
}
