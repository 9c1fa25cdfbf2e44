import EventLoop
import Operations
import Time

/// Controls baresip line by line, and reads its reactions. Blocks: on a line's thread.
struct SIPConversation {
  /// How long baresip may take to end the call with the other side.
  private static let farewell = Duration.seconds(2)
  private static let lineBytesMax = 4096
  /// How often the request to hang up is checked.
  private static let look = Duration.milliseconds(100)

  let address: SIPAddress
  let ringUntil: MonotonicInstant
  let cancellation: CancellationToken
  /// How long baresip may take for an immediate reaction.
  let waitMax: Duration

  /// Calls, plays the sound that baresip has as its descriptor 3, and hangs up.
  ///
  /// - Throws: the reason why the message was not heard to the end of its first repetition.
  func hold(
    with baresip: borrowing ProgramDialogue, once: Duration, whole: Duration,
    whenPickedUp: () -> Void
  ) throws(VoiceFailure) {
    var machine = SIPCallStateMachine(
      at: MonotonicClock.now, ringUntil: ringUntil, once: once, whole: whole, waitMax: waitMax)
    var line: [UInt8] = []
    while true {
      let heard = baresip.listen(until: min(machine.deadline, MonotonicClock.now + Self.look))
      let now = MonotonicClock.now
      for action in actions(heard, at: now, &machine, after: &line) {
        switch action {
        case .wait: break
        case .dial: baresip.say("/dial \(address.text)\n")
        case .speak:
          whenPickedUp()
          baresip.say("/ausrc aufile,/proc/self/fd/3\n")
        case .end(let failure):
          Self.leave(baresip)
          if let failure { throw failure }
          return
        }
      }
    }
  }

  private func actions(
    _ heard: ProgramDialogue.Heard, at now: MonotonicInstant,
    _ machine: inout SIPCallStateMachine, after line: inout [UInt8]
  ) -> [SIPCallStateMachine.Action] {
    if cancellation.isCancelled { return [machine.withdrawn()] }
    switch heard {
    case .nothing: return now >= machine.deadline ? [machine.deadlinePassed(at: now)] : []
    case .end: return [machine.ended(at: now)]
    case .bytes(let bytes):
      return Self.lines(of: bytes, after: &line).map { machine.said($0, at: now) }
    }
  }

  /// Hangs up, so that the other side stops ringing, and lets baresip end.
  private static func leave(_ baresip: borrowing ProgramDialogue) {
    baresip.say("/hangup\n/quit\n")
    let deadline = MonotonicClock.now + farewell
    while case .bytes = baresip.listen(until: deadline) {}
  }

  /// The complete lines; the rest stays in `line`. Overwritten output is left out.
  private static func lines(of bytes: [UInt8], after line: inout [UInt8]) -> [String] {
    var lines: [String] = []
    for byte in bytes {
      switch byte {
      case 0x0A:
        lines.append(String(decoding: line, as: UTF8.self))
        line = []
      case 0x0D: line = []
      default: if line.count < lineBytesMax { line.append(byte) }
      }
    }
    return lines
  }
}
