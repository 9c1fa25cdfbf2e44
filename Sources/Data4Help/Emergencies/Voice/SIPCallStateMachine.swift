import EventLoop

/// One call with baresip: what to do about what it says and about the time. No input or output.
///
/// The message is put on the line only once somebody has picked up: a network may carry sound
/// before that, and whoever picks up then would hear the end of it.
package struct SIPCallStateMachine {
  /// What to do next.
  package enum Action: Equatable {
    case wait
    /// Tell baresip whom to call.
    case dial
    /// Somebody has picked up: tell baresip to play the message.
    case speak
    /// It is over: somebody heard the message, or why nobody did.
    case end(VoiceFailure?)
  }

  private enum State {
    case starting
    case ringing
    case pickedUp
    case speaking(since: MonotonicInstant)
    case over
  }

  /// How long baresip has for what it does at once.
  package static let patience = Duration.seconds(5)

  private var state = State.starting
  /// When `deadlinePassed` is to be called.
  package private(set) var deadline: MonotonicInstant
  private let ringUntil: MonotonicInstant
  private let patience: Duration
  /// To the end of the first repetition, and of the last one.
  private let (once, whole): (Duration, Duration)

  /// A call that may ring until an instant; to the end of the first repetition the message takes
  /// `once`, to the end of the last one `whole`.
  package init(
    at now: MonotonicInstant, ringUntil: MonotonicInstant, once: Duration, whole: Duration,
    patience: Duration = SIPCallStateMachine.patience
  ) {
    deadline = min(now + patience, ringUntil)
    self.ringUntil = ringUntil
    self.patience = patience
    (self.once, self.whole) = (once, whole)
  }

  /// baresip said a line.
  package mutating func said(_ line: String, at now: MonotonicInstant) -> Action {
    switch state {
    case .starting where line.contains("baresip is ready"):
      state = .ringing
      deadline = ringUntil
      return .dial
    case .ringing where line.contains("Call established"):
      state = .pickedUp
      deadline = now + patience
      return .speak
    case .pickedUp where line.contains("aufile: loaded"):
      state = .speaking(since: now)
      deadline = now + whole + patience
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

  /// The time of `deadline` has come.
  package mutating func deadlinePassed(at now: MonotonicInstant) -> Action {
    end(.notPickedUp, at: now)
  }

  /// The emergency is over: whatever was heard holds no more.
  package mutating func withdrawn() -> Action {
    defer { state = .over }
    if case .over = state { return .wait }
    return .end(.withdrawn)
  }

  /// Ends what is under way; `failure` is what it means while nobody has picked up.
  private mutating func end(_ failure: VoiceFailure, at now: MonotonicInstant) -> Action {
    defer { state = .over }
    return switch state {
    case .starting: .end(.telephoneBroken())
    case .ringing: .end(failure)
    // What was to be played does not play, unless they hung up at once.
    case .pickedUp: .end(failure == .notPickedUp ? .telephoneBroken() : .hungUp)
    case .speaking(let since): .end(now - since >= once ? nil : .hungUp)
    case .over: .wait
    }
  }

  private static func isEnd(_ line: String) -> Bool {
    line.contains("session closed") || line.contains("terminated (duration")
  }

  /// By the status that the other side refused with (RFC 3261, 21).
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
