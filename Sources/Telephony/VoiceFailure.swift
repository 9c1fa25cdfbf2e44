import EventLoop

/// The reason why a voice call was not heard. Contains neither the recipient nor the message.
package enum VoiceFailure: Error, Equatable {
  /// All lines were in use for as long as the call might have rung.
  case noLineFree
  /// espeak-ng is missing, ended early, or wrote no readable sound.
  case notSpoken(SystemError? = nil)
  /// baresip is missing, ended by itself, or did not obey a command.
  case telephoneBroken(SystemError? = nil)
  /// A contact without a telephone number.
  case noNumber
  /// The address is unreachable.
  case notReached
  /// The call was not picked up.
  case notPickedUp
  case busy
  case declined
  /// The recipient hung up before the end of the message.
  case hungUp
  /// The call was ended from this side, because its emergency was over.
  case withdrawn

  /// The refusal of the system, if that was the reason.
  package var cause: SystemError? {
    switch self {
    case .notSpoken(let cause), .telephoneBroken(let cause): cause
    case .noLineFree, .noNumber, .notReached, .notPickedUp, .busy, .declined, .hungUp,
      .withdrawn:
      nil
    }
  }

  /// The cause in the log.
  package var summary: StaticString {
    switch self {
    case .noLineFree: "all lines are taken"
    case .notSpoken: "espeak-ng does not speak"
    case .telephoneBroken: "baresip does not dial"
    case .noNumber: "no telephone number"
    case .notReached: "not reached"
    case .notPickedUp: "not picked up"
    case .busy: "busy"
    case .declined: "declined"
    case .hungUp: "hung up before the end"
    case .withdrawn: "withdrawn"
    }
  }
}
