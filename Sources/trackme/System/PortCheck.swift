import CLinux
import EventLoop
import Operations

/// Looks whether the ports are free before anything is started, so that a port in use is one plain
/// line at once. The processes that take them look again.
enum PortCheck {
  static func check(_ installation: Installation, _ plan: ServicePlan) throws(StartError) {
    let https = try installation.value(SettingTable.httpsPort)
    guard try installation.value(SettingTable.httpPort) != https else {
      throw StartError("TRACKME_HTTP_PORT and TRACKME_HTTPS_PORT are both \(https): choose two.")
    }
    for setting in [SettingTable.httpPort, SettingTable.httpsPort] {
      try check(try installation.value(setting), from: setting)
    }
    if let broker = try LocalBroker(installation) {
      try check(broker.port, from: SettingTable.brokerPort)
    }
    for member in plan.members { try check(member.metricsPort, from: SettingTable.metricsPort) }
  }

  private static func check(_ port: UInt16, from setting: Setting<UInt16>) throws(StartError) {
    if linux_try_port(port) == -1 {
      throw StartError.listening(on: port, from: setting, .last("listen"))
    }
  }
}
