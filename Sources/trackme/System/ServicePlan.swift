import Operations

/// Which processes make up one running system, and what each is told: decisions only.
package struct ServicePlan: Sendable {
  /// One process of a service.
  package struct Member: Sendable, Equatable {
    /// Which program it is.
    package var kind: ProcessKind
    /// As `data4help-1`.
    package var name: String
    /// Where it listens for the others; the gateway has none.
    package var address: ServiceAddress?
    /// Where it shows its metrics and readiness, on loopback.
    package var metricsPort: UInt16
  }

  /// In the order of their start.
  package let members: [Member]

  /// The gateway, and as many replicas as asked for; the metrics ports count up from the gateway's.
  package init(
    data4help: Int, track4run: Int, metricsPort: UInt16, sockets: String
  ) throws(StartError) {
    let replicas = [(ProcessKind.data4help, data4help), (.track4run, track4run)]
    guard Int(metricsPort) + data4help + track4run <= 65535 else {
      throw StartError(
        "There are not enough ports from \(metricsPort) on: lower TRACKME_METRICS_PORT.")
    }
    var members: [Member] = []
    var port = metricsPort
    for (kind, count) in replicas {
      for number in 1...count {
        port += 1
        let name = "\(kind.rawValue)-\(number)"
        members.append(
          Member(
            kind: kind, name: name, address: .unix(path: "\(sockets)/\(name).sock"),
            metricsPort: port))
      }
    }
    members.append(Member(kind: .gateway, name: "gateway", address: nil, metricsPort: metricsPort))
    self.members = members
  }

  /// The plan of an installation.
  init(_ installation: Installation) throws(StartError) {
    try self.init(
      data4help: try installation.value(SettingTable.data4helpReplicas),
      track4run: try installation.value(SettingTable.track4runReplicas),
      metricsPort: try installation.value(SettingTable.metricsPort),
      sockets: installation.runDirectory.services)
  }

  /// The processes of one program.
  package func members(of kind: ProcessKind) -> [Member] {
    members.filter { $0.kind == kind }
  }

  /// What `member` is told beyond what the operator gave: names of settings and their texts.
  package func variables(for member: Member) -> [String: String] {
    var variables = [
      SettingTable.processName.definition.name: member.name,
      SettingTable.metricsPort.definition.name: "\(member.metricsPort)",
    ]
    if let address = member.address {
      variables[SettingTable.listen.definition.name] = address.description
    }
    for (kind, setting) in [
      (ProcessKind.data4help, SettingTable.data4helpAddresses),
      (.track4run, SettingTable.track4runAddresses),
    ] where setting.definition.readers.contains(member.kind) {
      let addresses = members(of: kind).compactMap { $0.address?.description }
      variables[setting.definition.name] = addresses.joined(separator: ",")
    }
    return variables
  }
}
