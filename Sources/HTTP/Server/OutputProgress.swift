import Time

/// How fast a client takes a response, from the moment when bytes of it began to wait.
///
/// The rate ranks responses at the limit of memory: the time of the last progress would favour a
/// client that reads a few bytes now and then.
package struct OutputProgress {
  /// A response that has waited for less is fresh: its client may just not have read it yet.
  package static let freshMax = Duration.seconds(2)
  /// At this age half of the history is forgotten: a client that read fast and then stopped would
  /// otherwise rank above a slow one for long.
  private static let historyMax = Duration.seconds(60)
  /// Bytes that count as taken from the beginning, as many as the window that the gateway grants at
  /// once. Without them an untaken response would have the rate 0 at any age. With them its rate
  /// falls with its age, so that the oldest of several untaken responses ranks lowest.
  private static let allowance = 4096.0

  private let since: MonotonicInstant
  private let takenBefore: UInt64

  /// Bytes begin to wait at `now`, after `taken` bytes of the response.
  package init(at now: MonotonicInstant, taken: UInt64) {
    since = now
    takenBefore = taken
  }

  /// Bytes a second that the client has taken; nil while the response is fresh.
  package func rate(at now: MonotonicInstant, taken: UInt64) -> Double? {
    guard now - since >= Self.freshMax else { return nil }
    let seconds = Double(now.nanoseconds - since.nanoseconds) / 1e9
    return (Double(taken &- takenBefore) + Self.allowance) / seconds
  }

  /// The progress without the older half of its history, once that is long; the rate of the bytes
  /// taken so far stays the same.
  package func shortened(at now: MonotonicInstant, taken: UInt64) -> OutputProgress {
    guard now - since >= Self.historyMax else { return self }
    let half = MonotonicInstant(
      nanoseconds: since.nanoseconds + (now.nanoseconds - since.nanoseconds) / 2)
    return OutputProgress(at: half, taken: takenBefore &+ (taken &- takenBefore) / 2)
  }
}
