import EventLoop
import Glibc
import Operations
import Synchronization
import Testing

@Suite("The order of start and stop")
struct LifecycleStateMachineTests {
  @Test("components start in order, and stop in reverse")
  func order() {
    var machine = LifecycleStateMachine(componentCount: 2)
    #expect(machine.begin() == .start(0))
    #expect(machine.started() == .start(1))
    #expect(machine.phase == .starting)
    #expect(machine.started() == .becomeReady)
    #expect(machine.phase == .ready)
    #expect(machine.stopRequested() == .stop(1, isFirst: true))
    #expect(machine.phase == .draining)
    #expect(machine.stopped() == .stop(0, isFirst: false))
    #expect(machine.stopped() == .exit(.success))
    #expect(machine.phase == .stopped)
  }

  @Test("a component that does not start ends the process with 1 after stopping those before it")
  func failure() {
    var machine = LifecycleStateMachine(componentCount: 3)
    _ = machine.begin()
    _ = machine.started()
    #expect(machine.startFailed() == .stop(0, isFirst: true))
    #expect(machine.stopped() == .exit(.failure))
  }

  @Test("a stop during the start waits for the component that is starting, and starts no other")
  func stopWhileStarting() {
    var machine = LifecycleStateMachine(componentCount: 2)
    _ = machine.begin()
    #expect(machine.stopRequested() == .stopLater)
    #expect(machine.started() == .stop(0, isFirst: false))
    #expect(machine.stopped() == .exit(.success))
  }

  @Test("a failure while running stops the process, which ends with 1")
  func failureWhileRunning() {
    var machine = LifecycleStateMachine(componentCount: 1)
    _ = machine.begin()
    #expect(machine.started() == .becomeReady)
    #expect(machine.failed() == .stop(0, isFirst: true))
    #expect(machine.failed() == .wait)
    #expect(machine.stopped() == .exit(.failure))
  }

  @Test("a failure during the start waits for the component that is starting, and ends with 1")
  func failureWhileStarting() {
    var machine = LifecycleStateMachine(componentCount: 2)
    _ = machine.begin()
    #expect(machine.failed() == .stopLater)
    #expect(machine.started() == .stop(0, isFirst: false))
    #expect(machine.stopped() == .exit(.failure))
  }

  @Test("a start that hangs after a stop request ends at the deadline with 1")
  func hangingStart() {
    var machine = LifecycleStateMachine(componentCount: 1)
    _ = machine.begin()
    #expect(machine.deadlinePassed() == .wait)
    #expect(machine.stopRequested() == .stopLater)
    #expect(machine.deadlinePassed() == .exit(.failure))
    #expect(machine.started() == .wait)
  }

  @Test("a second stop request ends the process immediately with 1")
  func impatience() {
    var machine = LifecycleStateMachine(componentCount: 1)
    _ = machine.begin()
    _ = machine.started()
    _ = machine.stopRequested()
    #expect(machine.stopRequested() == .exit(.failure))
    #expect(machine.stopped() == .wait)
    #expect(machine.deadlinePassed() == .wait)
  }

  @Test("when the deadline passes while draining, the process ends with 1")
  func deadline() {
    var machine = LifecycleStateMachine(componentCount: 1)
    _ = machine.begin()
    _ = machine.started()
    #expect(machine.deadlinePassed() == .wait)
    _ = machine.stopRequested()
    #expect(machine.deadlinePassed() == .exit(.failure))
  }
}

@Suite("The lifecycle of a process")
struct LifecycleTests {
  private let loop = EventLoop.manual()
  private let events = Events()

  /// What happened, in order.
  private final class Events: Sendable {
    let all = Mutex<[String]>([])
    func add(_ event: String) { all.withLock { $0.append(event) } }
    var seen: [String] { all.withLock { $0 } }
  }

  private func component(_ name: StaticString, failing sentence: String? = nil)
    -> LifecycleComponent
  {
    let events = events
    return LifecycleComponent(name) { () async throws(StartError) in
      if let sentence { throw StartError(sentence) }
      events.add("start \(name)")
    } stop: {
      events.add("stop \(name)")
    }
  }

  private func lifecycle(_ components: LifecycleComponent...) -> Lifecycle {
    let lifecycle = Lifecycle(loop: loop, log: .none, stopWithin: .seconds(10))
    for component in components { lifecycle.add(component) }
    let events = events
    lifecycle.begin { code, error in
      events.add("exit \(code.rawValue)" + (error.map { " \($0)" } ?? ""))
    }
    loop.runUntilIdle()
    return lifecycle
  }

  @Test("components start, the process is ready, and a stop ends them in reverse")
  func wholeLife() {
    let lifecycle = lifecycle(component("a"), component("b"))
    #expect(lifecycle.isReady)
    lifecycle.requestStop()
    loop.runUntilIdle()
    #expect(events.seen == ["start a", "start b", "stop b", "stop a", "exit 0"])
    #expect(lifecycle.phase == .stopped)
  }

  @Test("a failed start is reported at the end, when all other components have stopped")
  func failingStart() {
    let lifecycle = lifecycle(component("a"), component("b", failing: "No."))
    #expect(events.seen == ["start a", "stop a", "exit 1 No."])
    #expect(!lifecycle.isReady)
  }

  @Test("a component that never stops is abandoned at the deadline")
  func hangingStop() {
    let loop = loop
    let hanging = LifecycleComponent(
      "hanging",
      stop: {
        try? await loop.wait(for: .seconds(3600))
      })
    let lifecycle = lifecycle(component("a"), hanging)
    lifecycle.requestStop()
    loop.runUntilIdle()
    loop.advance(by: .milliseconds(9999))
    #expect(events.seen == ["start a"])
    loop.advance(by: .milliseconds(1))
    #expect(events.seen == ["start a", "exit 1"])
  }

  @Test("a component that is starting sees the request to stop, and ends its wait")
  func stopWhileStarting() {
    let (loop, events) = (loop, events)
    let lifecycle = Lifecycle(loop: loop, log: .none, stopWithin: .seconds(10))
    lifecycle.add(component("a"))
    lifecycle.add(
      LifecycleComponent("waiting") { () async throws(StartError) in
        do throws(CancellationError) {
          while !lifecycle.isStopRequested { try await loop.wait(for: .milliseconds(20)) }
        } catch {
          events.add("cancelled")
        }
        throw StartError("It stops before it is ready.")
      })
    lifecycle.begin { code, error in events.add("exit \(code.rawValue) \(error?.description ?? "")")
    }
    loop.runUntilIdle()
    loop.advance(by: .seconds(1))
    #expect(events.seen == ["start a"])
    lifecycle.requestStop()
    loop.advance(by: .milliseconds(20))
    #expect(events.seen == ["start a", "stop a", "exit 1 It stops before it is ready."])
  }

  @Test("the error for a port in use names the variable that selects another")
  func portInUse() {
    let error = StartError.listening(
      on: 8080, from: SettingTable.httpPort, SystemError(call: "bind", code: 98))
    #expect(error.description == "Port 8080 is in use: choose another with TRACKME_HTTP_PORT.")
  }

  @Test("the error for several ports in use names all of them, with their variables")
  func portsInUse() {
    func error(_ ports: (UInt16, Setting<UInt16>, Int32)...) -> String {
      StartError.listening(
        on: ports.map {
          (port: $0.0, setting: $0.1, error: SystemError(call: "listen", code: $0.2))
        }
      ).description
    }
    let (http, https) = (SettingTable.httpPort, SettingTable.httpsPort)
    let metrics = SettingTable.metricsPort
    #expect(
      error((8080, http, 98)) == "Port 8080 is in use: choose another with TRACKME_HTTP_PORT.")
    #expect(
      error((8080, http, 98), (443, https, 13), (9080, metrics, 98), (9081, metrics, 98))
        == "Ports 8080 (TRACKME_HTTP_PORT), 9080, 9081 (TRACKME_METRICS_PORT) are in use, "
        + "perhaps by another copy: choose others with these settings. Port 443 needs more rights: "
        + "choose one from 1024 on with "
        + "TRACKME_HTTPS_PORT.")
  }

  @Test("a process may have as many descriptors as its user is allowed")
  func descriptors() throws {
    func limit() throws -> rlimit {
      var limit = rlimit()
      try #require(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      return limit
    }
    var lowered = try limit()
    lowered.rlim_cur = lowered.rlim_max - 1
    try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &lowered) == 0)
    try ServiceProcess.raiseDescriptorLimit()
    #expect(try limit().rlim_cur == lowered.rlim_max)
  }
}
