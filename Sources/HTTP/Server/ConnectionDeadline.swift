import EventLoop

/// When a connection has waited long enough, for its phase and for its output; pure arithmetic.
package struct ConnectionDeadline {
  private let timeouts: HTTPTimeouts
  /// What the connection waits for.
  package private(set) var phase = ConnectionPhase.idle
  private var phaseEnd = MonotonicInstant.never
  private var bodyEnd = MonotonicInstant.never
  private var outputEnd = MonotonicInstant.never
  private var hasBegun = false

  /// Nothing is waited for yet.
  package init(_ timeouts: HTTPTimeouts) { self.timeouts = timeouts }

  /// The earliest of what is waited for; `never` if nothing is.
  package var next: MonotonicInstant { min(phaseEnd, min(bodyEnd, outputEnd)) }

  /// Starts the time of a phase.
  package mutating func enter(_ phase: ConnectionPhase, now: MonotonicInstant) {
    self.phase = phase
    bodyEnd = .never
    if phase != .handshake, phase != .idle { hasBegun = true }
    switch phase {
    case .handshake: phaseEnd = now + timeouts.handshake
    case .idle: phaseEnd = now + (hasBegun ? timeouts.idle : timeouts.firstRequest)
    case .head: phaseEnd = now + timeouts.head
    case .body:
      phaseEnd = now + timeouts.bodyIdle
      bodyEnd = now + timeouts.bodyIdle
    case .answering: phaseEnd = .never
    }
  }

  /// Part of a body came: more time before the next one, and a little more for the whole.
  package mutating func bodyProgressed(_ bytes: Int, now: MonotonicInstant) {
    guard phase == .body else { return }
    phaseEnd = now + timeouts.bodyIdle
    let milliseconds = Int64(bytes) * 1000 / Int64(max(1, timeouts.bodyBytesPerSecondMin))
    let earned = Duration(wholeNanoseconds: milliseconds * 1_000_000)
    // No more than this is saved up, or a fast beginning would pay for hours of dripping.
    bodyEnd = min(bodyEnd + earned, now + timeouts.bodyIdle + timeouts.bodyIdle)
  }

  /// Output waits, or the peer has just taken some of it.
  package mutating func outputWaits(now: MonotonicInstant, progressed: Bool) {
    if outputEnd == .never || progressed { outputEnd = now + timeouts.write }
  }

  /// Nothing waits to be sent.
  package mutating func outputEmptied() { outputEnd = .never }

  /// Whose time is up.
  package enum Expiry: Hashable {
    case phase(ConnectionPhase)
    case output
  }

  /// What has taken too long at `now`, if anything has.
  package func expired(at now: MonotonicInstant) -> Expiry? {
    if outputEnd <= now { return .output }
    if phaseEnd <= now || bodyEnd <= now { return .phase(phase) }
    return nil
  }
}
