import EventLoop
import Operations

/// Tells baresip what to do, line by line, and hears what comes of it. Blocks: on a line's thread.
struct SIPConversation {
  /// How long baresip has to take leave of the other side.
  private static let farewell = Duration.seconds(2)
  private static let lineBytesMax = 4096
  /// How often it is looked whether to hang up.
  private static let look = Duration.milliseconds(100)

  let address: SIPAddress
  let ringUntil: MonotonicInstant
  let hangUp: HangUp
  /// How long baresip has for what it does at once.
  let patience: Duration

  /// Calls, plays what baresip has as its descriptor 3, and hangs up.
  ///
  /// - Throws: why nobody heard the message to the end of its first repetition.
  func hold(
    with baresip: borrowing ProgramDialogue, once: Duration, whole: Duration,
    whenPickedUp: () -> Void
  ) throws(VoiceFailure) {
    var machine = SIPCallStateMachine(
      at: MonotonicClock.now, ringUntil: ringUntil, once: once, whole: whole, patience: patience)
    var line: [UInt8] = []
    while true {
      let heard = baresip.listen(until: min(machine.deadline, MonotonicClock.now + Self.look))
      let now = MonotonicClock.now
      for action in actions(heard, at: now, &machine, behind: &line) {
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
    _ machine: inout SIPCallStateMachine, behind line: inout [UInt8]
  ) -> [SIPCallStateMachine.Action] {
    if hangUp.isAsked { return [machine.withdrawn()] }
    switch heard {
    case .nothing: return now >= machine.deadline ? [machine.deadlinePassed(at: now)] : []
    case .end: return [machine.ended(at: now)]
    case .bytes(let bytes):
      return Self.lines(of: bytes, behind: &line).map { machine.said($0, at: now) }
    }
  }

  /// Hangs up, so that the other side rings no longer, and lets baresip end.
  private static func leave(_ baresip: borrowing ProgramDialogue) {
    baresip.say("/hangup\n/quit\n")
    let deadline = MonotonicClock.now + farewell
    while case .bytes = baresip.listen(until: deadline) {}
  }

  /// The lines that are whole; the rest stays in `line`. What is drawn over is left out.
  private static func lines(of bytes: [UInt8], behind line: inout [UInt8]) -> [String] {
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
