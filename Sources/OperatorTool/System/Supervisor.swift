import CLinux
import EventLoop
import Installation
import Operations

/// Runs a whole system: starts database, migrations, services and gateway in this order, and stops
/// them in reverse; replaces processes while it runs. On one loop; blocking work runs on a small
/// pool.
final class Supervisor {
  let installation: Installation
  let databases: Databases
  let plan: ServicePlan
  /// The payment broker of a development system, if one is needed.
  let broker: LocalBroker?

  /// The arguments of the command, by which the settings are read again.
  let arguments: [String]
  let loop: EventLoop
  private let pool: BlockingPool
  private let reaper: Reaper
  private(set) var processes: [SupervisedProcess] = []
  private(set) var isStarted = false
  var isReplacing = false
  private var control: ControlSocket?
  private(set) var readiness: ReadinessSocket?

  init(
    _ installation: Installation, arguments: [String], on loop: EventLoop
  ) throws(StartError) {
    self.installation = installation
    self.arguments = arguments
    self.loop = loop
    plan = try ServicePlan(installation)
    broker = try LocalBroker.ifNeeded(by: installation)
    databases = try Databases(installation)
    do throws(SystemError) {
      pool = try BlockingPool(name: "tools", threads: 2, queueMax: 16)
      reaper = try Reaper(on: loop)
    } catch {
      throw StartError("The supervisor cannot be started", error)
    }
  }

  /// Adds the components in start order.
  func addComponents(to lifecycle: Lifecycle) {
    let this = LoopBound(self, on: loop)
    let installation = installation
    lifecycle.add(
      LifecycleComponent("database") { () async throws(StartError) in
        do throws(StartError) {
          try await this.value.startDatabase()
        } catch {
          // A component that has not started is not stopped by the lifecycle.
          await this.value.stopDatabase()
          throw error
        }
      } stop: {
        await this.value.stopDatabase()
        this.value.removeRunDirectory()
      })
    if let broker {
      lifecycle.add(
        LifecycleComponent("broker") { () async throws(StartError) in
          try await this.value.start(broker.program(installation))
        } stop: {
          await this.value.stop { $0.program.name == LocalBroker.name }
        })
    }
    for kind in [ProcessKind.data4help, .track4run, .gateway] {
      lifecycle.add(
        LifecycleComponent("services") { () async throws(StartError) in
          try await this.value.startMembers(of: kind)
        } stop: {
          await this.value.stopMembers(of: kind)
        })
    }
    lifecycle.add(
      LifecycleComponent("demo data") { () async throws(StartError) in
        try await this.value.loadDemoData()
      } stop: {
      })
    lifecycle.add(
      LifecycleComponent("status") { () async throws(StartError) in
        try this.value.openControl()
        this.value.isStarted = true
        this.value.writeStatus()
      } stop: {
        this.value.isStarted = false
        this.value.closeControl()
        this.value.writeStatus()
      })
  }

  // MARK: Database

  private func startDatabase() async throws(StartError) {
    let databases = databases
    let installation = installation
    let broker = broker
    let migrations = try Migrations(databases, programs: installation.programs)
    try await blocking { () throws(StartError) in
      let hasDatabase = try databases.holdData(migrations)
      try installation.runDirectory.prepare(databaseOwner: databases.cluster?.directory.owner)
      try databases.cluster?.prepare { Terminal.say($0) }
      try installation.prepareKeys(hasDatabase: hasDatabase)
      try broker?.prepare()
    }
    if let cluster = databases.cluster {
      try await start(program(of: cluster))
    }
    let templates = DocumentTemplates(installation, migrations: migrations.directory)
    let applied = try await blocking { () throws(StartError) in try migrations.run() }
    let published = try await blocking { () throws(StartError) in
      try templates.publish(in: databases.urls)
    }
    if !applied.isEmpty { Terminal.say("\(applied.count) migrations were applied.") }
    if let notice = DocumentTemplates.notice(published) { Terminal.say(notice) }
  }

  private func stopDatabase() async { await stop { $0.program.name == "postgres" } }

  private func removeRunDirectory() {
    let sockets = plan.members.compactMap { member -> String? in
      if case .unix(let path) = member.address { path } else { nil }
    }
    installation.runDirectory.remove(sockets: sockets)
  }

  private func program(of cluster: Cluster) -> SupervisedProgram {
    let pool = pool
    var program = SupervisedProgram(
      name: "postgres", order: cluster.server,
      logPath: installation.state.file("logs/postgres.log"), addresses: [cluster.sockets]
    ) { _ in
      await Self.answer(of: pool) { cluster.answers() }
    }
    program.stopSignal = SIGINT
    program.killSignal = SIGQUIT
    return program
  }

  private static func answer(
    of pool: BlockingPool, _ ask: @escaping @Sendable () -> Bool
  ) async -> Bool {
    do throws(BlockingPoolError) {
      return try await pool.run(ask).get()
    } catch {
      return false
    }
  }

  func blocking<Value: Sendable>(
    _ work: @escaping @Sendable () throws(StartError) -> Value
  ) async throws(StartError) -> Value {
    let outcome: Result<Value, StartError>
    do throws(BlockingPoolError) {
      outcome = try await pool.run(work)
    } catch {
      throw StartError(error.description)
    }
    return try outcome.get()
  }

  // MARK: Services

  private func startMembers(of kind: ProcessKind) async throws(StartError) {
    do throws(StartError) {
      for member in plan.members(of: kind) {
        try await start(try ServiceProgram.make(member, plan, installation, databases))
      }
    } catch {
      await stopMembers(of: kind)
      throw error
    }
  }

  private func stopMembers(of kind: ProcessKind) async {
    await stop { $0.program.name.hasPrefix(kind.rawValue) }
  }

  private func start(_ program: SupervisedProgram) async throws(StartError) {
    let process: SupervisedProcess
    do throws(SystemError) {
      process = try SupervisedProcess(
        program, on: loop, reaper: reaper, report: { Terminal.say($0) },
        changed: { [weak self] in self?.writeStatus() })
    } catch {
      throw StartError("\(program.name) cannot be started", error)
    }
    processes.append(process)
    do throws(StartError) {
      try await process.start()
    } catch {
      await process.stop()
      throw error
    }
  }

  /// Stops the matching processes concurrently and returns when all have ended.
  private func stop(_ isMeant: (SupervisedProcess) -> Bool) async {
    let meant = processes.filter(isMeant)
    for process in meant { process.askToStop() }
    for process in meant { await process.stop() }
  }

  /// Kills the processes that remain when the supervisor ends without waiting for them. The
  /// embedded database shuts down cleanly by itself then (`Cluster.server`).
  func killAll() {
    for process in processes where process.program.killSignal == SIGKILL { process.killAll() }
  }

  // MARK: Control

  private func openControl() throws(StartError) {
    do throws(SystemError) {
      readiness = try ReadinessSocket(
        path: "\(installation.runDirectory.services)/ready.sock", on: loop)
      control = try ControlSocket(path: Self.controlPath(installation), on: loop) {
        [weak self] in self?.execute($0)
      }
    } catch {
      throw StartError("The socket for `trackme replace` cannot be opened", error)
    }
  }

  private func closeControl() {
    control?.close()
    readiness?.close()
  }

  private func writeStatus() {
    var status = SystemStatus(isStarted: isStarted)
    status.members = processes.map(\.status)
    _ = status.write(to: installation.state.file("status.json"))
  }
}
