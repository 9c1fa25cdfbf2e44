import Time

/// Decides when a supervised process is started, restarted and given up; has no side effects.
///
/// A process that never became ready fails the whole start. A process that ends later is restarted:
/// soon if it had been ready for a second, otherwise after a delay that doubles up to half a
/// minute.
package struct RestartPolicy: Equatable {
  /// The next step for the caller.
  package enum Action: Equatable {
    /// Start the program now.
    case start
    /// Start the program after this delay, then report `delayPassed`.
    case startAfter(Duration)
    /// The program ended before it was ever ready: report a failed start.
    case fail
    /// Ask the program to stop, and report `waitEnded` if it does not stop in time.
    case askToStop
    /// Kill the program.
    case kill
    /// The program has ended for good.
    case finish
    /// Do nothing.
    case wait
  }

  /// The state of the program.
  package enum State: Equatable {
    /// Never started.
    case idle
    /// Running, not ready yet.
    case starting
    /// Ready.
    case ready(since: MonotonicInstant)
    /// Ended, waiting for a restart.
    case delayed
    /// Asked to stop.
    case stopping
    /// Ended for good.
    case over
  }

  /// The delay before the first restart.
  package static let delayFirst = Duration.milliseconds(100)
  /// The longest delay.
  package static let delayMax = Duration.seconds(30)
  /// How long a program must have been ready for the delays to start over.
  package static let steadyAfter = Duration.seconds(1)

  /// The state of the program.
  package private(set) var state = State.idle
  /// The number of restarts.
  package private(set) var restartCount = 0
  private var hasBeenReady = false
  private var delay = Self.delayFirst

  /// A program that was never started.
  package init() {}

  /// Whether the program is ready.
  package var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  /// Requests the start of the program.
  package mutating func begin() -> Action {
    state = .starting
    return .start
  }

  /// Reports that the program is ready.
  package mutating func becameReady(at now: MonotonicInstant) {
    guard state == .starting else { return }
    state = .ready(since: now)
    hasBeenReady = true
  }

  /// Reports that a ready successor has taken the process's place; returns false if the program is
  /// being stopped.
  package mutating func succeeded(at now: MonotonicInstant) -> Bool {
    guard case .ready = state else { return false }
    state = .ready(since: now)
    return true
  }

  /// Reports that the program ended or could not be started.
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

  /// Reports that the delay has passed.
  package mutating func delayPassed() -> Action {
    guard state == .delayed else { return .wait }
    state = .starting
    return .start
  }

  /// Requests the stop of the program.
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

  /// Reports that the program did not stop in time.
  package mutating func waitEnded() -> Action {
    state == .stopping ? .kill : .wait
  }

  private mutating func restart() -> Action {
    restartCount += 1
    state = .delayed
    defer { delay = min(delay * 2, Self.delayMax) }
    return .startAfter(delay)
  }
}
