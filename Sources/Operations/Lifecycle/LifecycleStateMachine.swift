/// Where a process stands between its start and its end.
package enum LifecyclePhase: UInt8, Sendable {
  /// Components are being started; not ready.
  case starting
  /// All components run; ready.
  case ready
  /// Components are being stopped; not ready, and what was begun is finished.
  case draining
  /// All is over.
  case stopped
}

/// How a process ended, as its parent sees it.
package enum ExitCode: Int32, Sendable {
  /// It stopped because it was told to, and finished what it had begun.
  case success = 0
  /// It could not start, or not stop in time.
  case failure = 1
}

/// The order of starting and stopping, without doing either: components start one after the other,
/// and those that started stop in reverse.
package struct LifecycleStateMachine {
  /// What to do next.
  package enum Action: Equatable, Sendable {
    /// Start the component of this index, then report.
    case start(Int)
    /// Tell everybody that the process is ready.
    case becomeReady
    /// Stop the component of this index, then report. On the first one the deadline begins,
    /// unless it has already.
    case stop(Int, isFirst: Bool)
    /// Wait for what starts; the deadline begins.
    case stopLater
    /// End the process.
    case exit(ExitCode)
    /// Nothing; something is under way.
    case wait
  }

  /// The phase that others may see.
  package private(set) var phase: LifecyclePhase = .starting

  private let componentCount: Int
  private var startedCount = 0
  private var isStopRequested = false
  private var hasBegunStopping = false
  private var exitCode: ExitCode = .success

  /// A process of so many components.
  package init(componentCount: Int) {
    self.componentCount = componentCount
  }

  /// The process begins.
  package mutating func begin() -> Action {
    startNext()
  }

  /// The component that was to start did.
  package mutating func started() -> Action {
    startedCount += 1
    return isStopRequested ? stopNext() : startNext()
  }

  /// The component that was to start did not; those before it are stopped.
  package mutating func startFailed() -> Action {
    exitCode = .failure
    return stopNext()
  }

  /// The operator asks for the end; asked again, it comes at once. A start that hangs is waited for
  /// until the deadline.
  package mutating func stopRequested() -> Action {
    if phase == .draining || isStopRequested { return exitNow() }
    isStopRequested = true
    guard phase == .starting else { return stopNext() }
    hasBegunStopping = true
    return .stopLater
  }

  /// The process can't go on: it stops as asked for, and ends as a failure.
  package mutating func failed() -> Action {
    exitCode = .failure
    return phase == .draining || isStopRequested ? .wait : stopRequested()
  }

  /// The component that was to stop did.
  package mutating func stopped() -> Action {
    startedCount -= 1
    return stopNext()
  }

  /// Stopping took longer than allowed.
  package mutating func deadlinePassed() -> Action {
    hasBegunStopping ? exitNow() : .wait
  }

  private mutating func startNext() -> Action {
    if startedCount < componentCount { return .start(startedCount) }
    phase = .ready
    return .becomeReady
  }

  private mutating func stopNext() -> Action {
    guard phase != .stopped else { return .wait }
    guard startedCount > 0 else {
      phase = .stopped
      return .exit(exitCode)
    }
    phase = .draining
    defer { hasBegunStopping = true }
    return .stop(startedCount - 1, isFirst: !hasBegunStopping)
  }

  private mutating func exitNow() -> Action {
    guard phase != .stopped else { return .wait }
    phase = .stopped
    return .exit(.failure)
  }
}
