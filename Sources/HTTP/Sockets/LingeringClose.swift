import Time

/// How long a channel that has sent everything waits for its peer to close; pure arithmetic.
///
/// A peer that sends nothing has until its kernel has acknowledged all bytes. One that sends, as a
/// reader over HTTP/2 does, has the write time-out, anew after each `takenBytesMin` and after the
/// last byte.
package struct LingeringClose {
  /// The time between two checks, and the least that a peer has to close.
  static let interval = Duration.seconds(2)

  /// The state of the wait.
  package enum State: Equatable {
    case waiting
    /// The peer's kernel has everything.
    case received
    /// The peer takes less than the minimum rate.
    case stalled
  }

  private let timeouts: HTTPTimeouts
  private var unacknowledged: Int
  /// When `unacknowledged` was set: at the begin, or at the last progress.
  private var since: MonotonicInstant

  /// Begins with the bytes that the peer has not acknowledged.
  package init(_ timeouts: HTTPTimeouts, unacknowledged: Int, at now: MonotonicInstant) {
    self.timeouts = timeouts
    self.unacknowledged = unacknowledged
    since = now
  }

  /// The state with `rest` unacknowledged bytes. `hasSent` is whether the peer has sent anything
  /// since the lingering began.
  package mutating func check(_ rest: Int, hasSent: Bool, at now: MonotonicInstant) -> State {
    if rest == 0, !hasSent { return .received }
    let isProgress =
      unacknowledged - rest >= timeouts.takenBytesMin || (rest == 0 && unacknowledged > 0)
    if isProgress { (unacknowledged, since) = (rest, now) }
    guard since + timeouts.write <= now else { return .waiting }
    return rest == 0 ? .received : .stalled
  }
}
