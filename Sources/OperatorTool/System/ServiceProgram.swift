import CLinux
import Foundation
import HTTP
import Installation
import Operations

/// Converts a member of the plan into a supervised program.
enum ServiceProgram {
  static func make(
    _ member: ServicePlan.Member, _ plan: ServicePlan, _ installation: Installation,
    _ databases: Databases
  ) throws(StartError) -> SupervisedProgram {
    let executable = "\(installation.programs)/\(member.kind.rawValue)"
    guard FileSystem.exists(executable) else {
      throw StartError("\(executable) is missing: `make build` makes it.")
    }
    let order = ProgramOrder(
      executable: executable,
      environment: try environment(member, plan, installation, databases), deathSignal: SIGTERM)
    let port = member.metricsPort
    return SupervisedProgram(
      name: member.name, order: order,
      logPath: installation.state.file("logs/\(member.name).log"),
      listens: try listens(member, plan, installation),
      addresses: try addresses(of: member, installation)
    ) { loop in
      await HTTPProbe.ask(port: port, on: loop)
    }
  }

  /// The only environment variables passed on to a program.
  private static let inherited = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TZDIR", "TMPDIR"]

  /// More free blocks of each size in the allocator's cache of a thread than the default of 7: the
  /// requests in progress hold more. Free memory up to 8 MiB at the end of a heap stays there
  /// instead of being returned and zeroed again, and buffers below 2 MiB come from the heap. A
  /// request takes 2,000 to 4,000 instructions fewer, and a handshake a system call fewer
  /// (docs/benchmarks.md); over 4,096 connections a GET takes 9 % more. glibc reads it at the start
  /// of a process alone.
  private static let allocator = (
    name: "GLIBC_TUNABLES",
    value: "glibc.malloc.tcache_count=4096:glibc.malloc.trim_threshold=8388608"
      + ":glibc.malloc.mmap_threshold=2097152"
  )

  private static func environment(
    _ member: ServicePlan.Member, _ plan: ServicePlan, _ installation: Installation,
    _ databases: Databases
  ) throws(StartError) -> [String: String] {
    var variables = processEnvironment().filter { inherited.contains($0.key) }
    variables.merge(installation.settings.environment(for: member.kind)) { _, given in given }
    variables.merge(plan.variables(for: member)) { _, planned in planned }
    variables[SettingTable.state.definition.name] = installation.state.path
    variables[allocator.name] = allocator.value
    let loops = try loopCount(of: member, plan, installation)
    variables[SettingTable.loops.definition.name] = "\(loops)"
    // Its default depends on the gateway's port, which the other processes don't receive.
    variables[SettingTable.publicURL.definition.name] = try installation.value(
      SettingTable.publicURL)
    for (setting, database) in [
      (SettingTable.databaseURL, DatabaseName.trackme), (SettingTable.keysDatabaseURL, .keys),
    ] where setting.definition.readers.contains(member.kind) {
      guard let role = DatabaseRole(rawValue: member.kind.rawValue),
        let file = setting.definition.fileVariable
      else { continue }
      variables[setting.definition.name] = nil
      variables[file] = try databases.urlFile(role, database)
    }
    if member.kind == .data4help, let broker = try LocalBroker.ifNeeded(by: installation) {
      variables.merge(broker.variables) { _, local in local }
    }
    return variables
  }

  /// The addresses on which a member listens: those of `GatewayProcess` and `ServiceListener`.
  private static func listens(
    _ member: ServicePlan.Member, _ plan: ServicePlan, _ installation: Installation
  ) throws(StartError) -> [ListeningOrder] {
    let metrics = ListeningOrder(
      name: .metrics, address: .tcp(host: "127.0.0.1", port: member.metricsPort), count: 1)
    switch member.address {
    case .unix(let path):
      return [ListeningOrder(name: .service, address: .unix(path: path), count: 1), metrics]
    case .tcp(let host, let port):
      return [
        ListeningOrder(name: .service, address: .tcp(host: host, port: port), count: 1), metrics,
      ]
    case nil:
      let loops = try loopCount(of: member, plan, installation)
      let http = try installation.value(SettingTable.httpPort)
      let https = SocketAddress.tcp(
        host: try installation.value(SettingTable.bind),
        port: try installation.value(SettingTable.httpsPort))
      return [
        ListeningOrder(name: .http, address: .tcp(host: "127.0.0.1", port: http), count: loops),
        ListeningOrder(name: .https, address: https, count: loops), metrics,
      ]
    }
  }

  private static func loopCount(
    of member: ServicePlan.Member, _ plan: ServicePlan, _ installation: Installation
  ) throws(StartError) -> Int {
    let given = try installation.value(SettingTable.loops)
    guard given == 0 else { return given }
    return loopCount(cores: coreCount, replicas: plan.members(of: member.kind).count)
  }

  /// Divides the cores among the replicas of a program. One loop per core in every replica would
  /// split the batched writes into smaller batches.
  static func loopCount(cores: Int, replicas: Int) -> Int { max(1, cores / max(1, replicas)) }

  private static var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  private static func addresses(
    of member: ServicePlan.Member, _ installation: Installation
  ) throws(StartError) -> [String] {
    var addresses: [String] = []
    if let address = member.address {
      addresses.append(address.description)
    } else {
      let bind = try installation.value(SettingTable.bind)
      let https = try installation.value(SettingTable.httpsPort)
      addresses.append("http://127.0.0.1:\(try installation.value(SettingTable.httpPort))")
      addresses.append("https://\(bind.contains(":") ? "[\(bind)]" : bind):\(https)")
    }
    return addresses + ["metrics http://127.0.0.1:\(member.metricsPort)/metrics"]
  }
}
