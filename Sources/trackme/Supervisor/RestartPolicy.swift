import EventLoop

/// When a supervised process is started, started again, and given up: decisions only.
///
/// A process that never became ready fails the whole start. One that ends later is started again:
/// soon if it had been ready for a second, else after a delay that doubles up to half a minute.
struct RestartPolicy: Equatable {
  enum Action: Equatable {
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
    case wait
  }

  enum State: Equatable {
    case idle
    case starting
    case ready(since: MonotonicInstant)
    case delayed
    case stopping
    case over
  }

  static let delayFirst = Duration.milliseconds(100)
  static let delayMax = Duration.seconds(30)
  static let steadyAfter = Duration.seconds(1)

  private(set) var state = State.idle
  private(set) var restartCount = 0
  private var hasBeenReady = false
  private var delay = Self.delayFirst

  var isReady: Bool {
    if case .ready = state { true } else { false }
  }

  mutating func begin() -> Action {
    state = .starting
    return .start
  }

  mutating func becameReady(at now: MonotonicInstant) {
    guard state == .starting else { return }
    state = .ready(since: now)
    hasBeenReady = true
  }

  /// The program ended, or could not be started at all.
  mutating func ended(at now: MonotonicInstant) -> Action {
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

  mutating func delayPassed() -> Action {
    guard state == .delayed else { return .wait }
    state = .starting
    return .start
  }

  mutating func stopRequested() -> Action {
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

  mutating func patienceEnded() -> Action {
    state == .stopping ? .kill : .wait
  }

  private mutating func restart() -> Action {
    restartCount += 1
    state = .delayed
    defer { delay = min(delay * 2, Self.delayMax) }
    return .startAfter(delay)
  }
}
