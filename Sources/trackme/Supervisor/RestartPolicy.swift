import EventLoop

/// When a supervised process is started, started again, and given up: decisions only.
///
/// A process that never became ready fails the whole start. One that ends later is started again:
/// soon if it had been ready for a second, else after a delay that doubles up to half a minute.
package struct RestartPolicy: Equatable {
  /// What to do next.
  package enum Action: Equatable {
    /// Start the program now.
    case start
    /// Start the program after this delay, then report `delayPassed`.
    case startAfter(Duration)
    /// It ended before it was ever ready: give up.
    case fail
    /// Ask the program to stop, and report `patienceEnded` if it does not.
    case askToStop
    /// End the program by force.
    case kill
    /// It is over.
    case finish
    /// Nothing.
    case wait
  }

  /// Where the program stands.
  package enum State: Equatable {
    /// It was never started.
    case idle
    /// It runs and does not serve yet.
    case starting
    /// It serves.
    case ready(since: MonotonicInstant)
    /// It ended and waits to be started again.
    case delayed
    /// It was asked to stop.
    case stopping
    /// It is not started any more.
    case over
  }

  /// The delay before the first restart.
  package static let delayFirst = Duration.milliseconds(100)
  /// The longest delay.
  package static let delayMax = Duration.seconds(30)
  /// How long it must have served for the delays to begin anew.
  package static let steadyAfter = Duration.seconds(1)

  /// Where the program stands.
  package private(set) var state = State.idle
  /// How often it was started again.
  package private(set) var restartCount = 0
  private var hasBeenReady = false
  private var delay = Self.delayFirst

  /// A program that was never started.
  package init() {}

  /// Whether it serves.
  package var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  /// The program is wanted.
  package mutating func begin() -> Action {
    state = .starting
    return .start
  }

  /// The program serves.
  package mutating func becameReady(at now: MonotonicInstant) {
    guard state == .starting else { return }
    state = .ready(since: now)
    hasBeenReady = true
  }

  /// The program ended, or could not be started at all.
  package mutating func ended(at now: MonotonicInstant) -> Action {
    switch state {
    case .stopping:
      state = .over
      return .finish
    case .starting where !hasBeenReady:
      state = .over
      return .fail
    case .ready(let since) where now - since >= Self.steadyAfter:
      delay = Self.delayFirst
      return restart()
    case .starting, .ready: return restart()
    case .idle, .delayed, .over: return .wait
    }
  }

  /// The delay is over.
  package mutating func delayPassed() -> Action {
    guard state == .delayed else { return .wait }
    state = .starting
    return .start
  }

  /// The program is not wanted any more.
  package mutating func stopRequested() -> Action {
    switch state {
    case .idle, .delayed:
      state = .over
      return .finish
    case .starting, .ready:
      state = .stopping
      return .askToStop
    case .stopping: return .wait
    case .over: return .finish
    }
  }

  /// It was asked to stop and has not.
  package mutating func patienceEnded() -> Action {
    state == .stopping ? .kill : .wait
  }

  private mutating func restart() -> Action {
    restartCount += 1
    state = .delayed
    defer { delay = min(delay * 2, Self.delayMax) }
    return .startAfter(delay)
  }
}
