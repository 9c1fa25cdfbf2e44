import EventLoop

/// When a connection has waited long enough, for its phase and for its output; pure arithmetic.
package struct ConnectionDeadline {
  private let timeouts: HTTPTimeouts
  /// What the connection waits for.
  package private(set) var phase = ConnectionPhase.idle
  private var phaseEnd: MonotonicInstant?
  private var bodyEnd: MonotonicInstant?
  private var outputEnd: MonotonicInstant?

  /// Nothing is waited for yet.
  package init(_ timeouts: HTTPTimeouts) { self.timeouts = timeouts }

  /// The earliest of what is waited for; nil if nothing is.
  package var next: MonotonicInstant? {
    [phaseEnd, bodyEnd, outputEnd].compactMap { $0 }.min()
  }

  /// Starts the time of a phase.
  package mutating func enter(_ phase: ConnectionPhase, now: MonotonicInstant) {
    self.phase = phase
    bodyEnd = nil
    switch phase {
    case .handshake: phaseEnd = now + timeouts.handshake
    case .idle: phaseEnd = now + timeouts.idle
    case .head: phaseEnd = now + timeouts.head
    case .body:
      phaseEnd = now + timeouts.bodyIdle
      bodyEnd = now + timeouts.bodyIdle
    case .answering: phaseEnd = nil
    }
  }

  /// Part of a body came: more time before the next one, and a little more for the whole.
  package mutating func bodyProgressed(_ bytes: Int, now: MonotonicInstant) {
    guard phase == .body, let end = bodyEnd else { return }
    phaseEnd = now + timeouts.bodyIdle
    let earned = Duration.milliseconds(bytes * 1000 / max(1, timeouts.bodyBytesPerSecondMin))
    // No more than this is saved up, or a fast beginning would pay for hours of dripping.
    bodyEnd = min(end + earned, now + timeouts.bodyIdle + timeouts.bodyIdle)
  }

  /// Output waits, or the peer has just taken some of it.
  package mutating func outputWaits(now: MonotonicInstant, progressed: Bool) {
    if outputEnd == nil || progressed { outputEnd = now + timeouts.write }
  }

  /// Nothing waits to be sent.
  package mutating func outputEmptied() { outputEnd = nil }

  /// Whose time is up.
  package enum Expiry: Hashable {
    case phase(ConnectionPhase)
    case output
  }

  /// What has taken too long at `now`, if anything has.
  package func expired(at now: MonotonicInstant) -> Expiry? {
    if let outputEnd, outputEnd <= now { return .output }
    if let phaseEnd, phaseEnd <= now { return .phase(phase) }
    if let bodyEnd, bodyEnd <= now { return .phase(phase) }
    return nil
  }
}
