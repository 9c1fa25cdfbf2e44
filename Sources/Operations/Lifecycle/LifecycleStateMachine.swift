/// The phases of a process.
package enum LifecyclePhase: UInt8, Sendable {
  /// Components are being started; not ready.
  case starting
  /// All components run; ready.
  case ready
  /// Components are being stopped; not ready, but work in progress is completed.
  case draining
  /// All components have stopped.
  case stopped
}

/// How a process ended, as its parent sees it.
package enum ExitCode: Int32, Sendable {
  /// It stopped on request and completed its work.
  case success = 0
  /// It failed to start, failed while running, or did not stop in time.
  case failure = 1
}

/// The order of starting and stopping, without I/O: components start one after another, and started
/// components stop in reverse order.
package struct LifecycleStateMachine {
  /// What to do next.
  package enum Action: Equatable, Sendable {
    /// Start the component at this index, then call `started` or `startFailed`.
    case start(Int)
    /// Announce that the process is ready.
    case becomeReady
    /// Stop the component at this index, then call `stopped`. If `isFirst`, arm the deadline, which
    /// has not been armed yet.
    case stop(Int, isFirst: Bool)
    /// Arm the deadline and wait for the component that is starting.
    case stopLater
    /// End the process.
    case exit(ExitCode)
    /// Wait for an operation in progress.
    case wait
  }

  /// The published phase.
  package private(set) var phase: LifecyclePhase = .starting

  private let componentCount: Int
  private var startedCount = 0
  private var isStopRequested = false
  private var hasBegunStopping = false
  private var exitCode: ExitCode = .success

  /// A process with this number of components.
  package init(componentCount: Int) {
    self.componentCount = componentCount
  }

  /// Starts the first component.
  package mutating func begin() -> Action {
    startNext()
  }

  /// The current component has started.
  package mutating func started() -> Action {
    startedCount += 1
    return isStopRequested ? stopNext() : startNext()
  }

  /// The current component failed to start; the earlier ones are stopped.
  package mutating func startFailed() -> Action {
    exitCode = .failure
    return stopNext()
  }

  /// The operator requests a stop. A second request exits immediately. A component that is still
  /// starting is awaited until the deadline.
  package mutating func stopRequested() -> Action {
    if phase == .draining || isStopRequested { return exitNow() }
    isStopRequested = true
    guard phase == .starting else { return stopNext() }
    hasBegunStopping = true
    return .stopLater
  }

  /// The process cannot continue: it stops gracefully and exits with a failure.
  package mutating func failed() -> Action {
    exitCode = .failure
    return phase == .draining || isStopRequested ? .wait : stopRequested()
  }

  /// The current component has stopped.
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
