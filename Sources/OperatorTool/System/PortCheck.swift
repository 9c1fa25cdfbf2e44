import CLinux
import EventLoop
import Installation
import Operations

/// Checks that the ports are free before any process starts, so that all ports in use are reported
/// at once in one plain line. The processes check again when they bind the ports.
enum PortCheck {
  static func check(_ installation: Installation, _ plan: ServicePlan) throws(StartError) {
    let https = try installation.value(SettingTable.httpsPort)
    guard try installation.value(SettingTable.httpPort) != https else {
      throw StartError("TRACKME_HTTP_PORT and TRACKME_HTTPS_PORT are both \(https): choose two.")
    }
    var refused: [(port: UInt16, setting: Setting<UInt16>, error: SystemError)] = []
    for (port, setting) in try ports(installation, plan) {
      if linux_try_port(port) == -1 {
        refused.append((port: port, setting: setting, error: .last("listen")))
      }
    }
    if !refused.isEmpty { throw StartError.listening(on: refused) }
  }

  /// The ports of all processes, each with the setting that selects it.
  private static func ports(
    _ installation: Installation, _ plan: ServicePlan
  ) throws(StartError) -> [(port: UInt16, setting: Setting<UInt16>)] {
    var ports: [(port: UInt16, setting: Setting<UInt16>)] = []
    for setting in [SettingTable.httpPort, SettingTable.httpsPort] {
      ports.append((try installation.value(setting), setting))
    }
    if let broker = try LocalBroker.ifNeeded(by: installation) {
      ports.append((broker.port, SettingTable.brokerPort))
    }
    // Sorted, because the setting is the first of these ports.
    let metrics = plan.members.map(\.metricsPort).sorted()
    return ports + metrics.map { (port: $0, setting: SettingTable.metricsPort) }
  }
}
