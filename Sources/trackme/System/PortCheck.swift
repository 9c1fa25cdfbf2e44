import CLinux
import EventLoop
import Installation
import Operations

/// Checks that the ports are free before any process starts, so that a port in use is reported at
/// once in one plain line. The processes check again when they bind the ports.
enum PortCheck {
  static func check(_ installation: Installation, _ plan: ServicePlan) throws(StartError) {
    let https = try installation.value(SettingTable.httpsPort)
    guard try installation.value(SettingTable.httpPort) != https else {
      throw StartError("TRACKME_HTTP_PORT and TRACKME_HTTPS_PORT are both \(https): choose two.")
    }
    for setting in [SettingTable.httpPort, SettingTable.httpsPort] {
      try check(try installation.value(setting), from: setting)
    }
    if let broker = try LocalBroker.ifNeeded(by: installation) {
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
