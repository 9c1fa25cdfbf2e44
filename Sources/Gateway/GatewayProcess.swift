import Cryptography
import EventLoop
import HTTP
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Web
import WebApp

/// The gateway process: starts its components in order and stops them in reverse.
package enum GatewayProcess {
  /// Runs the gateway until it is stopped.
  package static func run() -> Never {
    ServiceProcess.run(.gateway) { process throws(StartError) in try assemble(process) }
  }

  private static func assemble(_ process: ServiceProcess) throws(StartError) {
    let loop = process.loops[0]
    let (settings, database) = try process.read { settings throws(SettingsError) in
      (
        try GatewaySettings(settings),
        try process.database(SettingTable.databaseURL, on: loop, readers: 1, writers: 1)
      )
    }
    let root = try process.settings.rootSecret()
    let sessions = SessionTable(idle: settings.sessionIdle)
    let follower = SessionFollower(
      sessions, database: database, on: loop, log: process.log, environment: process.environment)
    let connections = try InnerConnections(process)
    let parts = try parts(
      settings, process, connections, root: root, sessions: sessions, follower: follower)
    let loops = GatewayLoops(parts)
    process.metrics.reading("trackme_gateway_sessions", "Sessions held in memory.") {
      Double(sessions.count)
    }
    process.metrics.reading(
      "trackme_gateway_accounts_watched", "Accounts whose uploads have the priority of alarms."
    ) { Double(parts.monitoredAccounts.count) }
    let keys = try KeyChecks(
      process.settings, root: root, in: database, now: process.environment.now)
    process.lifecycle.add(keys.component(process, blocking: false))
    process.lifecycle.add(
      LifecycleComponent(
        "sessions", start: { () throws(StartError) in follower.start() },
        stop: { follower.stop() }))
    // After the sessions, whose end closes the database in which the last report is removed.
    process.lifecycle.add(
      try RootSecretReload.component(of: process, root, in: database) { await loops.renewSecret() })
    process.lifecycle.add(
      monitoredAccountsSync(
        LoopBound(
          MonitoredAccountsSync(parts.monitoredAccounts, database: database, log: process.log),
          on: loop)))
    process.lifecycle.add(
      LifecycleComponent(
        "replicas", start: { () throws(StartError) in await loops.start(on: process.loops) },
        stop: { await loops.stop() }))
    process.lifecycle.add(
      repeating(
        "spectators",
        LoopBound(
          SpectatorReporter(
            loops, database: database, log: process.log, environment: process.environment),
          on: loop)))
    if process.isTakingOver { process.lifecycle.add(readiness(of: loops, process)) }
    try addListeners(settings, process, connections, loops)
  }

  /// Waits until the gateway can serve, or is asked to stop: until then its predecessor serves
  /// alone. The starter decides how long that may take.
  private static func readiness(
    of loops: GatewayLoops, _ process: ServiceProcess
  ) -> LifecycleComponent {
    let loop = process.loops[0]
    return LifecycleComponent("readiness") { () async throws(StartError) in
      do throws(CancellationError) {
        while await !loops.isReady() {
          if process.lifecycle.isStopRequested { throw CancellationError() }
          try await loop.wait(for: .milliseconds(20))
        }
      } catch {
        throw StartError("The gateway stops before it is ready.")
      }
    }
  }

  private static func repeating(
    _ name: StaticString, _ reporter: LoopBound<SpectatorReporter>
  ) -> LifecycleComponent {
    let loop = reporter.loop
    return LifecycleComponent(
      name, repeating: PeriodicTask(on: loop) { await reporter.value.turn() }, on: loop)
  }

  private static func monitoredAccountsSync(_ sync: LoopBound<MonitoredAccountsSync>)
    -> LifecycleComponent
  {
    let loop = sync.loop
    return LifecycleComponent(
      "monitored accounts",
      repeating: PeriodicTask(on: loop) { await sync.value.turn() }, on: loop)
  }

  private static func parts(
    _ settings: GatewaySettings, _ process: ServiceProcess, _ connections: InnerConnections,
    root: RootSecret, sessions: SessionTable, follower: SessionFollower
  ) throws(StartError) -> GatewayParts {
    let data4help = try HostNames.resolve(settings.data4help)
    let track4run = try HostNames.resolve(settings.track4run)
    return GatewayParts(
      plans: EndpointPlans(PublicAPI.endpoints, metrics: process.metrics),
      tokens: TokenAuthority(root: root), sessions: sessions, source: follower,
      limits: settings.rateLimiting.limits,
      secret: InternalSecret(root: root),
      localAnswers: LocalAnswers(publicURL: settings.publicURL),
      metrics: GatewayMetrics(process.metrics), log: process.log, environment: process.environment,
      data4help: data4help, track4run: track4run,
      links: (
        try connections.link(to: .data4help, at: data4help),
        try connections.link(to: .track4run, at: track4run)
      ),
      pages: PageAnswers(
        webPages(settings, process.log), secureOrigin: settings.secureOrigin),
      demandsTLS: !settings.isLocal)
  }

  /// The web pages. A gateway without them still serves the API: emergencies do not need pages.
  private static func webPages(_ settings: GatewaySettings, _ log: Log) -> WebPages? {
    let found = settings.pagesPath ?? programDirectory().flatMap(WebPages.directory)
    guard let directory = found else {
      log.warning("no directory of web pages is found: TRACKME_PAGES names it")
      return nil
    }
    do throws(WebPagesError) {
      return try WebPages.read(from: directory, settings: settings.pages, log: log)
    } catch {
      log.failure("read web pages failed", error)
      return nil
    }
  }

  // MARK: Ports

  /// Descriptors for files, logs, the database and the metrics port.
  private static let otherDescriptors = 256

  /// Connections of the metrics port, which Prometheus and the operator read.
  private static let metricsConnections = 64

  /// Descriptors for everything except the connections of clients: `otherDescriptors`; two
  /// connections of each loop to each replica, because the next one opens before the former ends;
  /// and the connections that each loop and port may accept in a turn that closes as many.
  private static func reservedDescriptors(
    _ settings: GatewaySettings, _ process: ServiceProcess
  ) -> Int {
    let replicas = settings.data4help.count + settings.track4run.count
    let accepted = 2 * HTTPServer.acceptsPerTurnMax
    return otherDescriptors + process.loops.count * (2 * replicas + accepted)
  }

  /// The limit of clients' connections: the setting, or fewer if the process may not open as many
  /// descriptors.
  private static func connectionsMax(
    _ settings: GatewaySettings, _ process: ServiceProcess
  ) -> Int {
    var limits = HTTPLimits()
    limits.connectionsMax = settings.connections
    limits.limitConnections(
      descriptors: ServiceProcess.descriptorLimit - reservedDescriptors(settings, process))
    if limits.connectionsMax < settings.connections {
      process.log.warning(
        "limit of connections lowered to that of open files",
        [.number("connections", limits.connectionsMax), .number("setting", settings.connections)])
    }
    return limits.connectionsMax
  }

  private static func addListeners(
    _ settings: GatewaySettings, _ process: ServiceProcess, _ connections: InnerConnections,
    _ loops: GatewayLoops
  ) throws(StartError) {
    let tls = try PublicCertificate(
      certificate: settings.certificatePath, key: settings.certificateKeyPath,
      on: process.loops[0], log: process.log, environment: process.environment)
    process.lifecycle.add(
      LifecycleComponent(
        "certificate", start: { () throws(StartError) in tls.start() }, stop: { tls.stop() }))
    var plain = HTTPListener(.tcp(host: "127.0.0.1", port: settings.httpPort))
    plain.shared = process.sockets[.http]
    var secure = HTTPListener(
      .tcp(host: settings.bind, port: settings.httpsPort), following: tls.current)
    secure.shared = process.sockets[.https]
    var metrics = try connections.metricsListener(
      host: settings.metricsBind, port: settings.metricsPort)
    metrics.shared = process.sockets[.metrics]
    // A fifth of the time remains to close the connections.
    let ports = ListeningPorts(
      process.loops, drain: settings.stopWithin * 0.8, isLimited: settings.rateLimiting == .on,
      connectionsMax: connectionsMax(settings, process), log: process.log,
      metrics: process.metrics)
    let lifecycle = process.lifecycle
    let local = Router([.metrics(process.metrics), .readiness { lifecycle.isReady }])
    process.lifecycle.add(
      ports.component(
        "public ports", [(plain, SettingTable.httpPort), (secure, SettingTable.httpsPort)],
        loops.handlers))
    // Added after the ports, so that streams end before the ports wait for requests in flight.
    process.lifecycle.add(
      LifecycleComponent(
        "streams", start: { () throws(StartError) in }, stop: { await loops.endStreams() }))
    process.lifecycle.add(
      ListeningPorts(
        [process.loops[0]], drain: .zero, isLimited: false, connectionsMax: metricsConnections,
        log: process.log, metrics: process.metrics
      ).component(
        "metrics port", [(metrics, SettingTable.metricsPort)],
        Service(local, log: process.log).handlers))
  }
}
