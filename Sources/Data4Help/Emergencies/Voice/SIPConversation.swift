import EventLoop
import Operations

/// Tells baresip what to do, line by line, and hears what comes of it. Blocks: on a line's thread.
struct SIPConversation {
  /// How long baresip has to take leave of the other side.
  private static let farewell = Duration.seconds(2)
  private static let lineBytesMax = 4096

  let address: SIPAddress
  let ringUntil: MonotonicInstant

  /// Calls, plays what baresip has as its descriptor 3, and hangs up.
  ///
  /// - Throws: why nobody heard the message to the end of its first repetition.
  func hold(
    with baresip: borrowing ProgramDialogue, once: Duration, whole: Duration,
    whenPickedUp: () -> Void
  ) throws(VoiceFailure) {
    var machine = SIPCallStateMachine(
      at: MonotonicClock.now, ringUntil: ringUntil, once: once, whole: whole)
    var line: [UInt8] = []
    while true {
      let heard = baresip.listen(until: machine.deadline)
      let now = MonotonicClock.now
      var actions: [SIPCallStateMachine.Action] = []
      switch heard {
      case .nothing: actions = [machine.deadlinePassed(at: now)]
      case .end: actions = [machine.ended(at: now)]
      case .bytes(let bytes):
        for text in Self.lines(of: bytes, behind: &line) {
          actions.append(machine.said(text, at: now))
        }
      }
      for action in actions {
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
