import Installation
import Operations

/// Decides which processes form a running system and which settings each receives; has no side
/// effects.
package struct ServicePlan: Sendable {
  /// One process of a service.
  package struct Member: Sendable, Equatable {
    /// The program of the process.
    package var kind: ProcessKind
    /// The name, such as `data4help-1`.
    package var name: String
    /// The address for the other processes; nil for the gateway.
    package var address: ServiceAddress?
    /// The loopback port of its metrics and readiness.
    package var metricsPort: UInt16
  }

  /// The processes in start order.
  package let members: [Member]

  /// A gateway and the given numbers of replicas; the metrics ports count up from the gateway's.
  package init(
    data4help: Int, track4run: Int, metricsPort: UInt16, sockets: String
  ) throws(StartError) {
    let replicas = [(ProcessKind.data4help, data4help), (.track4run, track4run)]
    guard Int(metricsPort) + data4help + track4run <= 65535 else {
      throw StartError(
        "There are not enough ports above \(metricsPort): lower TRACKME_METRICS_PORT.")
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

  /// Whether a process of this name is a member of a plan: the supervisor also runs others, such as
  /// the embedded database.
  static func isMember(_ name: String) -> Bool {
    let kinds: [ProcessKind] = [.data4help, .track4run, .gateway]
    return kinds.contains { name == $0.rawValue || name.hasPrefix("\($0.rawValue)-") }
  }

  /// The processes of one program.
  package func members(of kind: ProcessKind) -> [Member] {
    members.filter { $0.kind == kind }
  }

  /// The settings that `member` receives in addition to the operator's: names and values.
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
