import CLinux
import EventLoop
import Installation
import Operations

/// `trackme run`: the whole system in the foreground, until Ctrl-C.
enum RunCommand {
  /// With this flag, the process writes to descriptor 3 when the system is ready (see
  /// `StartCommand`).
  static let reportFlag = "--report-ready"
  private static let reportDescriptor: Int32 = 3

  static func run(_ arguments: [String]) -> Int32 {
    SignalSource.block(SignalSource.stopSignals + [SIGCHLD])
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: [reportFlag])
      try Commands.refuse(operands.filter { $0 != reportFlag })
      if operands.contains(reportFlag) { linux_close_on_exec(reportDescriptor) }
      try begin(installation, arguments, isReporting: operands.contains(reportFlag))
      // All further work runs on the loop's thread, which finally ends the process.
      while true { pause() }
    }
  }

  private static func begin(
    _ installation: Installation, _ arguments: [String], isReporting: Bool
  ) throws(StartError) {
    try installation.prepareState()
    try takeLock(installation.state)
    for row in try chosen(installation) {
      Terminal.say("\(row.name) = \(row.shown) (\(row.source))")
    }
    try PortCheck.check(installation, try ServicePlan(installation))
    let loop: EventLoop
    do throws(SystemError) {
      loop = try EventLoop.start(name: "supervisor")
    } catch {
      throw StartError("The supervisor cannot be started", error)
    }
    loop.execute { supervise(installation, arguments, on: loop, isReporting: isReporting) }
  }

  /// The settings that the operator has set; `make` always passes the state directory, so the
  /// usual one is left out.
  private static func chosen(
    _ installation: Installation
  ) throws(StartError) -> [Settings.Effective] {
    let hasUsualState = installation.hasUsualState
    return try installation.effective().filter { row in
      let isState = row.name == SettingTable.state.definition.name
      return row.source != .absent && !(isState && hasUsualState)
    }
  }

  private static func supervise(
    _ installation: Installation, _ arguments: [String], on loop: EventLoop, isReporting: Bool
  ) {
    let lifecycle = Lifecycle(loop: loop, log: .none, stopWithin: StopCommand.stopWithin)
    let supervisor: Supervisor
    do throws(StartError) {
      supervisor = try Supervisor(installation, arguments: arguments, on: loop)
    } catch {
      Terminal.complain(error.description)
      _exit(ExitCode.failure.rawValue)
    }
    supervisor.addComponents(to: lifecycle)
    let plan = supervisor.plan
    lifecycle.add(
      LifecycleComponent("greeting") { () async throws(StartError) in
        for line in try Greeting(installation, plan).lines { Terminal.say(line) }
        if isReporting { reportReady() }
      } stop: {
        Terminal.say("Stopping.")
      })
    Commands.run(lifecycle, on: loop) { supervisor.killAll() }
  }

  /// The open descriptor holds the lock until the process ends.
  private static func takeLock(_ state: StateDirectory) throws(StartError) {
    let attempt: InstanceLock.Attempt
    do throws(SystemError) {
      attempt = try InstanceLock.take(state)
      if case .taken(let lock) = attempt { try lock.sign() }
    } catch {
      throw StartError("The state directory \(state.path) cannot be locked", error)
    }
    if case .heldBy(let process) = attempt {
      throw StartError(
        "TrackMe is already running on \(state.path) (process \(process)\(addresses(state))): "
          + "stop it with `make stop`, or start a second copy with another TRACKME_STATE, "
          + "TRACKME_HTTP_PORT and TRACKME_HTTPS_PORT.")
    }
  }

  /// The addresses of the running gateway for clients, as the end of a list; empty before it runs.
  private static func addresses(_ state: StateDirectory) -> String {
    do throws(StartError) {
      let members = try SystemStatus.read(from: state.file("status.json")).members
      let gateway = members.first { $0.name == "gateway" }
      let shown = (gateway?.addresses ?? []).filter { $0.hasPrefix("http") }
      return shown.map { ", \($0)" }.joined()
    } catch {
      return ""
    }
  }

  private static func reportReady() {
    let word = Array("ready\n".utf8)
    // SAFETY: the buffer is valid for the call, with its own size.
    _ = unsafe word.withUnsafeBytes { buffer in
      unsafe write(reportDescriptor, buffer.baseAddress, buffer.count)
    }
    close(reportDescriptor)
  }
}
