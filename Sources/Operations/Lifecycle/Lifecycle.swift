import EventLoop
import Synchronization

/// One part of a process that is started and stopped as a whole.
package struct LifecycleComponent: Sendable {
  /// Its name in logs.
  package let name: StaticString
  let start: @Sendable () async throws(StartError) -> Void
  let stop: @Sendable () async -> Void

  /// A component. `start` returns when it serves; `stop` refuses new work at once, finishes what
  /// was begun, and returns.
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

/// Starts components in order on one loop and stops them in reverse, once, within a deadline.
// SAFETY: everything mutable but the atomic phase is touched on `loop` alone, which is asserted.
package final class Lifecycle: @unchecked Sendable {
  private let loop: EventLoop
  private let log: Log
  private let stopWithin: Duration
  private let visiblePhase = Atomic<UInt8>(LifecyclePhase.starting.rawValue)
  private var components: [LifecycleComponent] = []
  private var machine = LifecycleStateMachine(componentCount: 0)
  private var deadline: LoopTimer?
  private var ended: (ExitCode, StartError?) -> Void = { _, _ in }
  private var failure: StartError?

  /// A lifecycle whose components start and stop on `loop`.
  package init(loop: EventLoop, log: Log, stopWithin: Duration) {
    self.loop = loop
    self.log = log
    self.stopWithin = stopWithin
  }

  /// Where the process stands. From any thread.
  package var phase: LifecyclePhase {
    LifecyclePhase(rawValue: visiblePhase.load(ordering: .relaxed)) ?? .stopped
  }

  /// Whether all components run. From any thread.
  package var isReady: Bool { phase == .ready }

  /// Adds a component, to be started after those added before. Before `begin` only.
  package func add(_ component: LifecycleComponent) {
    components.append(component)
  }

  /// Starts all components; `ended` is called once, at the very end, with the failure to print.
  /// On the loop.
  package func begin(ended: @escaping (ExitCode, StartError?) -> Void) {
    loop.assertCurrent()
    self.ended = ended
    machine = LifecycleStateMachine(componentCount: components.count)
    perform(machine.begin())
  }

  /// Asks for the end; asked twice, it comes at once. From any thread.
  package func requestStop() {
    loop.execute { [self] in perform(machine.stopRequested()) }
  }

  /// Ends the process with a sentence for the operator and exit code 1, after its components have
  /// stopped. From any thread.
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
    case .becomeReady: log.info("ready")
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
    log.debug("starting", [.word("component", component.name)])
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
    log.error("could not start", [.word("component", component.name), .error(error)])
    failure = error
    perform(machine.startFailed())
  }

  private func stop(_ component: LifecycleComponent) {
    log.debug("stopping", [.word("component", component.name)])
    loop.begin { [self] in
      await component.stop()
      loop.execute { [self] in perform(machine.stopped()) }
    }
  }

  private func armDeadline() {
    log.info("stopping")
    deadline = loop.schedule(after: stopWithin) { [self] in
      log.warning("not stopped in time", [.seconds("allowed_seconds", stopWithin)])
      perform(machine.deadlinePassed())
    }
  }
}
