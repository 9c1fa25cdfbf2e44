import EventLoop
import Synchronization

/// One part of a process, started and stopped as a unit.
package struct LifecycleComponent: Sendable {
  /// Its name in logs.
  package let name: StaticString
  /// Returns when the component serves.
  package let start: @Sendable () async throws(StartError) -> Void
  /// Refuses new work at once, finishes work in progress, and returns.
  package let stop: @Sendable () async -> Void

  /// Creates a component.
  package init(
    _ name: StaticString,
    start: @escaping @Sendable () async throws(StartError) -> Void = {},
    stop: @escaping @Sendable () async -> Void = {}
  ) {
    self.name = name
    self.start = start
    self.stop = stop
  }
}

/// Starts components in order on one loop and stops them once, in reverse order, within a deadline.
// SAFETY: all mutable state except the atomic phase is used only on `loop`, which is asserted.
package final class Lifecycle: @unchecked Sendable {
  private let loop: EventLoop
  private let log: Log
  private let stopWithin: Duration
  private let visiblePhase = Atomic<UInt8>(LifecyclePhase.starting.rawValue)
  private let visibleStop = Atomic<Bool>(false)
  private var components: [LifecycleComponent] = []
  private var machine = LifecycleStateMachine(componentCount: 0)
  private var deadline: LoopTimer?
  private var becameReady: () -> Void = {}
  private var ended: (ExitCode, StartError?) -> Void = { _, _ in }
  private var failure: StartError?

  /// A lifecycle whose components start and stop on `loop`.
  package init(loop: EventLoop, log: Log, stopWithin: Duration) {
    self.loop = loop
    self.log = log
    self.stopWithin = stopWithin
  }

  /// The current phase. From any thread.
  package var phase: LifecyclePhase {
    LifecyclePhase(rawValue: visiblePhase.load(ordering: .relaxed)) ?? .stopped
  }

  /// Whether all components run. From any thread.
  package var isReady: Bool { phase == .ready }

  /// Whether a stop was requested: a component whose start waits for other processes ends then.
  /// From any thread.
  package var isStopRequested: Bool { visibleStop.load(ordering: .relaxed) }

  /// Adds a component that starts after all earlier ones. Before `begin` only.
  package func add(_ component: LifecycleComponent) {
    components.append(component)
  }

  /// Starts all components; `ready` is called once they run, and `ended` once, when everything has
  /// stopped, with the failure to print. On the loop.
  package func begin(
    ready: @escaping () -> Void = {}, ended: @escaping (ExitCode, StartError?) -> Void
  ) {
    loop.assertCurrent()
    becameReady = ready
    self.ended = ended
    machine = LifecycleStateMachine(componentCount: components.count)
    perform(machine.begin())
  }

  /// Requests a graceful stop; a second request ends the process immediately. From any thread.
  package func requestStop() {
    visibleStop.store(true, ordering: .relaxed)
    loop.execute { [self] in perform(machine.stopRequested()) }
  }

  /// Stops the components, then ends the process with exit code 1 and this error for the operator.
  /// From any thread.
  package func fail(_ error: StartError) {
    loop.execute { [self] in
      log.error("the process cannot continue", [.error(error)])
      failure = failure ?? error
      perform(machine.failed())
    }
  }

  private func perform(_ action: LifecycleStateMachine.Action) {
    visiblePhase.store(machine.phase.rawValue, ordering: .relaxed)
    switch action {
    case .start(let index): start(components[index])
    case .becomeReady:
      log.info("ready")
      becameReady()
    case .stop(let index, let isFirst):
      if isFirst { armDeadline() }
      stop(components[index])
    case .stopLater: armDeadline()
    case .exit(let code):
      deadline?.cancel()
      log.info("stopped", [.number("exit_code", code.rawValue)])
      ended(code, failure)
    case .wait: break
    }
  }

  private func start(_ component: LifecycleComponent) {
    log.debug("starting", [.constant("component", component.name)])
    loop.begin { [self] in
      do throws(StartError) {
        try await component.start()
      } catch {
        return loop.execute { [self] in startFailed(component, error) }
      }
      loop.execute { [self] in perform(machine.started()) }
    }
  }

  private func startFailed(_ component: LifecycleComponent, _ error: StartError) {
    log.failure("start component failed", error, .constant("started", component.name))
    failure = error
    perform(machine.startFailed())
  }

  private func stop(_ component: LifecycleComponent) {
    log.debug("stopping", [.constant("component", component.name)])
    loop.begin { [self] in
      await component.stop()
      loop.execute { [self] in perform(machine.stopped()) }
    }
  }

  private func armDeadline() {
    log.info("stopping")
    deadline = loop.schedule(after: stopWithin) { [self] in
      log.warning("stop components timed out", [.seconds("allowed_seconds", stopWithin)])
      perform(machine.deadlinePassed())
    }
  }
}
