import Time

/// How long a channel that has sent everything waits for its peer to close; pure arithmetic.
///
/// A silent peer has until its kernel has acknowledged all bytes. One that still reads has the
/// write time-out, anew after each `takenBytesMin` and after the last byte.
struct LingeringClose {
  /// The time between two checks, and the least that a peer has to close.
  static let interval = Duration.seconds(2)

  private let timeouts: HTTPTimeouts
  private var unacknowledged: Int
  /// When so many bytes were unacknowledged.
  private var since: MonotonicInstant

  /// Begins with the bytes that the peer has not acknowledged.
  init(_ timeouts: HTTPTimeouts, unacknowledged: Int, at now: MonotonicInstant) {
    self.timeouts = timeouts
    self.unacknowledged = unacknowledged
    since = now
  }

  /// Whether the wait is over with `rest` unacknowledged bytes. `isReading` is whether the peer has
  /// sent anything meanwhile.
  mutating func isOver(_ rest: Int, isReading: Bool, at now: MonotonicInstant) -> Bool {
    if rest == 0, !isReading { return true }
    let isProgress =
      unacknowledged - rest >= timeouts.takenBytesMin || (rest == 0 && unacknowledged > 0)
    if isProgress { (unacknowledged, since) = (rest, now) }
    return since + timeouts.write <= now
  }
}
