import EventLoop
import Installation
import Operations

/// `trackme-lab sandbox`: makes a town of invented people with a year of life in a running
/// installation, for developers of third parties (OPS-8).
enum SandboxCommand {
  static let usage = SandboxOrder.usage

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: SandboxOrder.flags)
      guard let order = SandboxOrder(operands) else {
        throw StartError("An argument is unknown or out of its range.\n\(usage)")
      }
      guard FileSystem.exists(installation.state.path) else {
        throw StartError(
          "There is no copy in \(installation.state.path): `make run` starts one, and --state "
            + "names its directory.")
      }
      guard try installation.optional(SettingTable.smtpURL) == nil else {
        throw StartError(
          "Mails go to a mail server here: a town can only be made if mails go to a folder.")
      }
      // The logins have a password that everybody can read.
      let address = try installation.value(SettingTable.bind)
      guard address == "::1" || address.hasPrefix("127.") else {
        throw StartError(
          "TRACKME_BIND is \(address): a town can only be made where no other machine connects.")
      }
      let loop: EventLoop
      do throws(SystemError) { loop = try EventLoop.start(name: "sandbox") } catch {
        throw StartError("The sandbox can't be started", error)
      }
      defer { loop.stop() }
      let sandbox = try Sandbox(installation, order, on: loop)
      defer { sandbox.shutDown() }
      try sandbox.make()
      if order.isLive { try sandbox.live() }
    }
  }
}
