import Time

/// One call with baresip: reacts to baresip's lines and to the time, without input or output.
///
/// The message is played only after the call was picked up: a network may carry sound before that,
/// and the recipient would then hear only the end of the message.
package struct SIPCallStateMachine {
  /// The next action.
  package enum Action: Equatable {
    case wait
    /// Send baresip the address to call.
    case dial
    /// The call was picked up: let baresip play the message.
    case speak
    /// The call is over: nil if the message was heard, otherwise the reason.
    case end(VoiceFailure?)
  }

  private enum State {
    case starting
    case ringing
    case pickedUp
    case speaking(since: MonotonicInstant)
    case over
  }

  /// How long baresip may take for an immediate reaction.
  package static let waitMax = Duration.seconds(5)

  private var state = State.starting
  /// The time for the call of `deadlinePassed`.
  package private(set) var deadline: MonotonicInstant
  private let ringUntil: MonotonicInstant
  private let waitMax: Duration
  /// The times to the end of the first repetition, and of the last one.
  private let (once, whole): (Duration, Duration)

  /// A call that may ring until an instant; to the end of the first repetition the message takes
  /// `once`, to the end of the last one `whole`.
  package init(
    at now: MonotonicInstant, ringUntil: MonotonicInstant, once: Duration, whole: Duration,
    waitMax: Duration = SIPCallStateMachine.waitMax
  ) {
    deadline = min(now + waitMax, ringUntil)
    self.ringUntil = ringUntil
    self.waitMax = waitMax
    (self.once, self.whole) = (once, whole)
  }

  /// baresip wrote a line.
  package mutating func said(_ line: String, at now: MonotonicInstant) -> Action {
    switch state {
    case .starting where line.contains("baresip is ready"):
      state = .ringing
      deadline = ringUntil
      return .dial
    case .ringing where line.contains("Call established"):
      state = .pickedUp
      deadline = now + waitMax
      return .speak
    case .pickedUp where line.contains("aufile: loaded"):
      state = .speaking(since: now)
      deadline = now + whole + waitMax
      return .wait
    case .ringing, .pickedUp, .speaking:
      return Self.isEnd(line) ? end(Self.failure(line), at: now) : .wait
    case .starting, .over: return .wait
    }
  }

  /// baresip ended.
  package mutating func ended(at now: MonotonicInstant) -> Action {
    end(.telephoneBroken(), at: now)
  }

  /// The time of `deadline` was reached.
  package mutating func deadlinePassed(at now: MonotonicInstant) -> Action {
    end(.notPickedUp, at: now)
  }

  /// The emergency is over: the message is obsolete.
  package mutating func withdrawn() -> Action {
    defer { state = .over }
    if case .over = state { return .wait }
    return .end(.withdrawn)
  }

  /// Ends the call; `failure` is the reason if it was not picked up.
  private mutating func end(_ failure: VoiceFailure, at now: MonotonicInstant) -> Action {
    defer { state = .over }
    return switch state {
    case .starting: .end(.telephoneBroken())
    case .ringing: .end(failure)
    // The message does not play, unless the call was ended at once.
    case .pickedUp: .end(failure == .notPickedUp ? .telephoneBroken() : .hungUp)
    case .speaking(let since): .end(now - since >= once ? nil : .hungUp)
    case .over: .wait
    }
  }

  private static func isEnd(_ line: String) -> Bool {
    line.contains("session closed") || line.contains("terminated (duration")
  }

  /// The failure for the status of the other side's refusal (RFC 3261, 21).
  private static func failure(_ line: String) -> VoiceFailure {
    guard let reason = line.split(separator: " closed: ").last else { return .notReached }
    return switch reason.prefix(3) {
    case "486", "600": .busy
    case "603": .declined
    case "408", "480", "487": .notPickedUp
    default: .notReached
    }
  }
}
