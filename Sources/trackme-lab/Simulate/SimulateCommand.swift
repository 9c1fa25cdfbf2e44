import AutomatedSOS
import Domain
import EventLoop
import Installation
import Operations

/// `trackme-lab simulate`: simulates a run (`SimulateRunCommand`) or a device. The simulated phone
/// pairs, measures, evaluates its readings like the server, and uploads through the gateway. It
/// only knows what a real device knows: the address and the trusted certificate (DAT-9, SOS-10).
package enum SimulateCommand {
  static let usage = """
    usage: trackme-lab simulate device [--profile NAME | --recording FILE] [--every SECONDS]
             [--send SECONDS] [--count N] [--age YEARS] [--at LAT,LON] [--abort-after SECONDS]
             [--file FILE]
      --profile      \(VitalSigns.Profile.allCases.map(\.rawValue).joined(separator: ", ")) (rest)
      --recording    vital signs to send instead: CSV or NDJSON with timestamp, dataType and value
      --every        seconds between two samples, 1 to 30 (10); three a second while alerted
      --send         seconds between two uploads, 1 to 240 (60); at once while alerted
      --count        ends after this number of samples, once they are sent (never)
      --age          for the thresholds, where the gateway can't be asked for them (18)
      --at           where the phone is, such as 45.4642,9.19
      --abort-after  aborts this time after a warning; without, a line that is typed aborts
      --file         where its token and its unsent samples lie (simulated-device in the state
                     directory)
      --https-port, --state and the other settings say which copy it belongs to
    """

  private static let flags: Set = [
    "--profile", "--recording", "--every", "--send", "--count", "--age", "--at", "--abort-after",
    "--file",
  ]

  static func run(_ arguments: [String]) -> Int32 {
    if arguments.first == "run" { return SimulateRunCommand.run(arguments) }
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments, commandFlags: flags)
      let order = try Order(operands)
      let device = try device(installation, order)
      let loop: EventLoop
      do throws(SystemError) { loop = try EventLoop.start(name: "device") } catch {
        throw StartError("The device cannot be started", error)
      }
      defer { loop.stop() }
      let result = Pending<Result<Void, StartError>>()
      loop.begin {
        do throws(StartError) {
          let phone = try SimulatedDevice(device, on: loop)
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
      throw StartError("\(certificate) can't be read: was the system ever started?", error)
    }
    var recording: [RecordedSign]?
    if let file = order.recording { recording = try RecordedSign.all(of: file) }
    return SimulatedDevice.Settings(
      port: try installation.value(SettingTable.httpsPort), certificate: pem,
      file: PhoneFile(path: order.file ?? state.file("simulated-device")), plan: order.plan,
      recording: recording, profile: order.profile)
  }
}

extension SimulateCommand {
  /// The parsed arguments.
  package struct Order {
    /// The behaviour of the phone.
    package private(set) var plan = SimulatedPhone.Plan()
    /// The person's activity, used without a recording.
    package private(set) var profile = VitalSigns.Profile.rest
    /// The path of a file of vital signs.
    package private(set) var recording: String?
    /// The path of the file for the token and the samples.
    package private(set) var file: String?

    /// Parses the arguments.
    ///
    /// - Throws: `StartError` that names the first wrong one, such as a value beyond a device's
    ///   limits (DAT-9).
    package init(_ arguments: [String]) throws(StartError) {
      var options = try SimulationOptions(arguments, of: "device", usage: SimulateCommand.usage)
      while let option = try options.next() { try take(option) }
    }

    private mutating func take(_ option: SimulationOption) throws(StartError) {
      switch option.name {
      case "--profile":
        guard let named = VitalSigns.Profile(rawValue: option.value) else {
          let names = VitalSigns.Profile.allCases.map(\.rawValue).joined(separator: ", ")
          throw option.refusal("one of \(names)")
        }
        profile = named
      case "--recording": recording = option.value
      case "--file": file = option.value
      case "--count":
        guard let number = Int(option.value), number > 0 else {
          throw option.refusal("a whole number from 1 on")
        }
        plan.count = number
      case "--at":
        do throws(GeoPointError) { plan.position = try GeoPoint(option.value) } catch {
          throw option.refusal("a position such as 45.4642,9.19")
        }
      case "--every": plan.sampleEvery = try option.number(1...30) * 1000
      case "--send": plan.sendEvery = try option.number(1...240) * 1000
      case "--abort-after": plan.abortAfter = try option.number(0...60) * 1000
      case "--age": plan.age = Age(months: Int(try option.number(0...130)) * 12) ?? .eighteen
      default: throw option.isUnknown
      }
    }
  }
}
