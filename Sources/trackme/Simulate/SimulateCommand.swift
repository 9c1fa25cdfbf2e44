import EventLoop
import Operations

/// `trackme simulate`: a run (`SimulateRunCommand`), or a device: a small phone that pairs,
/// measures and uploads through the gateway, with what a device needs and nothing else: the
/// address, and the certificate it trusts (DAT-9).
package enum SimulateCommand {
  static let usage = """
    usage: trackme simulate device [--every SECONDS] [--send SECONDS] [--count N] [--file FILE]
      --every   seconds between two measurements, 1 to 30 (10)
      --send    seconds between two uploads, 1 to 240 (60)
      --count   ends after so many measurements, once they are sent (never)
      --file    where its token and its unsent samples lie (simulated-device in the state directory)
    """

  static func run(_ arguments: [String]) -> Int32 {
    if arguments.first == "run" { return SimulateRunCommand.run(arguments) }
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(
        arguments, commandFlags: ["--every", "--send", "--count", "--file"])
      guard let order = Order(operands) else {
        throw StartError("\(usage)\n\(SimulateRunCommand.usage)")
      }
      let device = try device(installation, order)
      let loop: EventLoop
      do throws(SystemError) { loop = try EventLoop.start(name: "device") } catch {
        throw StartError("The device cannot be started", error)
      }
      defer { loop.stop() }
      let result = Pending<Result<Void, StartError>>()
      loop.begin {
        let phone = SimulatedDevice(device, on: loop)
        do throws(StartError) {
          result.resolve(.success(try await phone.run()))
        } catch {
          result.resolve(.failure(error))
        }
      }
      try result.wait().get()
    }
  }

  private static func device(
    _ installation: Installation, _ order: Order
  ) throws(StartError) -> SimulatedDevice.Settings {
    let state = installation.state
    let certificate = state.file("tls/certificate.pem")
    let pem: [UInt8]
    do throws(SystemError) { pem = try FileSystem.read(certificate, bytesMax: 65_536) } catch {
      throw StartError("\(certificate) can't be read: has the system run yet?", error)
    }
    return SimulatedDevice.Settings(
      port: try installation.value(SettingTable.httpsPort), certificate: pem,
      file: order.file ?? state.file("simulated-device"), every: .seconds(order.every),
      send: .seconds(order.send), count: order.count)
  }

  /// What the arguments ask for.
  package struct Order: Equatable {
    /// Seconds between two measurements.
    package var every: Int64 = 10
    var send: Int64 = 60
    var count: Int?
    var file: String?

    /// nil for arguments that are not understood, or beyond what a device may do (DAT-9).
    package init?(_ arguments: [String]) {
      var rest = arguments[...]
      guard rest.popFirst() == "device" else { return nil }
      while let argument = rest.popFirst() {
        guard let value = rest.popFirst() else { return nil }
        switch argument {
        case "--every":
          guard let seconds = Int64(value), (1...30).contains(seconds) else { return nil }
          every = seconds
        case "--send":
          guard let seconds = Int64(value), (1...240).contains(seconds) else { return nil }
          send = seconds
        case "--count":
          guard let number = Int(value), number > 0 else { return nil }
          count = number
        case "--file": file = value
        default: return nil
        }
      }
    }
  }
}
