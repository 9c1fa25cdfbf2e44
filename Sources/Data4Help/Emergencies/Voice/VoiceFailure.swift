import EventLoop

/// Why a call by voice was not heard. Holds nothing of whom it was to, nor of what was said.
package enum VoiceFailure: Error, Equatable {
  /// All lines were taken for as long as it might have rung.
  case noLineFree
  /// espeak-ng is missing, ended early, or made no sound that can be read.
  case notSpoken(SystemError? = nil)
  /// baresip is missing, ended by itself, or did not do what it was told.
  case telephoneBroken(SystemError? = nil)
  /// A contact without a telephone number.
  case noNumber
  /// Nobody is reached at this address.
  case notReached
  /// Nobody picked up.
  case notPickedUp
  case busy
  case declined
  /// Whoever picked up did not hear the message to its end.
  case hungUp
  /// It was hung up on this side: its emergency was over.
  case withdrawn

  /// What the system refused, if that was the reason.
  package var cause: SystemError? {
    switch self {
    case .notSpoken(let cause), .telephoneBroken(let cause): cause
    case .noLineFree, .noNumber, .notReached, .notPickedUp, .busy, .declined, .hungUp,
      .withdrawn:
      nil
    }
  }

  /// For the log.
  package var word: StaticString {
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
