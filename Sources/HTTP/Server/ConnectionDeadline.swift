import Time

/// Computes the time-outs of a connection's phase and output; pure arithmetic.
package struct ConnectionDeadline {
  private let timeouts: Shared<HTTPTimeouts>
  /// The event that the connection waits for.
  package private(set) var phase = ConnectionPhase.idle
  private var phaseEnd = MonotonicInstant.never
  private var bodyEnd = MonotonicInstant.never
  private var outputEnd = MonotonicInstant.never
  /// The bytes in the kernel's buffer that the peer had not acknowledged when output began to wait,
  /// or at its last progress; nil while no output waits.
  private var unacknowledged: Int?
  private var hasBegun = false

  /// Starts without a deadline.
  package init(_ timeouts: Shared<HTTPTimeouts>) { self.timeouts = timeouts }

  /// The earliest deadline; `never` if none is set.
  package var next: MonotonicInstant { min(phaseEnd, min(bodyEnd, outputEnd)) }

  /// Enters a phase and starts its time-out.
  package mutating func enter(_ phase: ConnectionPhase, now: MonotonicInstant) {
    self.phase = phase
    bodyEnd = .never
    if phase != .handshake, phase != .idle { hasBegun = true }
    switch phase {
    case .handshake: phaseEnd = now + timeouts.value.handshake
    case .idle: phaseEnd = now + (hasBegun ? timeouts.value.idle : timeouts.value.firstRequest)
    case .head: phaseEnd = now + timeouts.value.head
    case .body:
      phaseEnd = now + timeouts.value.bodyIdle
      bodyEnd = now + timeouts.value.bodyIdle
    case .answering: phaseEnd = .never
    }
  }

  /// Part of a body arrived: restarts the idle time-out and extends the deadline for the minimum
  /// rate.
  package mutating func bodyProgressed(_ bytes: Int, now: MonotonicInstant) {
    guard phase == .body else { return }
    phaseEnd = now + timeouts.value.bodyIdle
    let milliseconds = Int64(bytes) * 1000 / Int64(max(1, timeouts.value.bodyBytesPerSecondMin))
    let earned = Duration(wholeNanoseconds: milliseconds * 1_000_000)
    // The extension is capped: otherwise a fast start would allow hours of slow sending.
    bodyEnd = min(bodyEnd + earned, now + timeouts.value.bodyIdle + timeouts.value.bodyIdle)
  }

  /// Output is pending, or the peer has just accepted some of it.
  package mutating func outputWaits(now: MonotonicInstant, progressed: Bool) {
    if outputEnd == .never || progressed { outputEnd = now + timeouts.value.write }
  }

  /// The kernel has just taken some of the pending output, and has these bytes now that the peer
  /// has not acknowledged.
  package mutating func outputProgressed(unacknowledged: Int, now: MonotonicInstant) {
    outputEnd = now + timeouts.value.write
    self.unacknowledged = unacknowledged
  }

  /// A flush has left output, and the kernel has `count` bytes that the peer has not acknowledged.
  /// Only the first call since output began to wait reads `count`: a later number would hide what
  /// the peer has received since.
  package mutating func outputRefused(unacknowledged count: @autoclosure () -> Int) {
    if unacknowledged == nil { unacknowledged = count() }
  }

  /// Extends the expired deadline of output if the peer has received bytes from the kernel's buffer
  /// at the minimum rate; returns whether it has.
  ///
  /// The kernel takes more output only when part of its buffer is free, for which a slow peer may
  /// need longer than the time-out.
  package mutating func extendOutput(unacknowledged left: Int, now: MonotonicInstant) -> Bool {
    guard let unacknowledged, unacknowledged - left >= timeouts.value.takenBytesMin else {
      return false
    }
    outputProgressed(unacknowledged: left, now: now)
    return true
  }

  /// All output is sent.
  package mutating func outputEmptied() {
    outputEnd = .never
    unacknowledged = nil
  }

  /// The deadline that expired.
  package enum Expiry: Hashable {
    case phase(ConnectionPhase)
    case output
  }

  /// The deadline expired at `now`, if any.
  package func expired(at now: MonotonicInstant) -> Expiry? {
    if outputEnd <= now { return .output }
    if phaseEnd <= now || bodyEnd <= now { return .phase(phase) }
    return nil
  }
}
