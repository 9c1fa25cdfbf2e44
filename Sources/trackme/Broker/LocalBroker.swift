import CLinux
import EventLoop
import Operations
import Privacy

/// A payment broker for development (REQ-7): what takes payments where requests have a price and
/// no real broker was named. It speaks as the hosted checkout of Stripe does, on loopback only, so
/// that Data4Help does with it what it would do with Stripe; nobody is charged.
struct LocalBroker: Sendable {
  /// Its name among the processes.
  static let name = "broker"

  /// Where it listens.
  let port: UInt16
  /// Files of the key by which Data4Help is known to it, and of the secret that signs what it
  /// confirms.
  let keyPath: String
  let signingPath: String
  /// The gateway's plain port, where payments are confirmed.
  let gatewayPort: UInt16

  /// The broker of an installation; nil where nothing costs anything, or somebody real takes it.
  init?(_ installation: Installation) throws(StartError) {
    let prices = [
      try installation.value(SettingTable.priceSingle),
      try installation.value(SettingTable.priceGroup),
      try installation.optional(SettingTable.priceSubscription) ?? 0,
    ]
    guard prices.contains(where: { $0 > 0 }),
      try installation.optional(SettingTable.paymentURL) == nil
    else { return nil }
    port = try installation.value(SettingTable.brokerPort)
    gatewayPort = try installation.value(SettingTable.httpPort)
    keyPath = installation.state.file("keys/broker.key")
    signingPath = installation.state.file("keys/broker.signing")
  }

  /// What the broker's pages and calls begin with.
  var url: String { "http://127.0.0.1:\(port)" }

  /// What a service that takes payments is told: names of settings and their texts.
  var variables: [String: String] {
    [
      SettingTable.paymentURL.definition.name: url,
      SettingTable.paymentKeyPath.definition.name: keyPath,
      SettingTable.paymentSigningPath.definition.name: signingPath,
    ]
  }

  /// Makes the two secrets when they are missing. It blocks.
  func prepare() throws(StartError) {
    _ = try secret(keyPath)
    _ = try secret(signingPath)
  }

  /// The secret of one of its files, which is made if it is missing.
  func secret(_ path: String) throws(StartError) -> String {
    do throws(SystemError) {
      let bytes = try SecretFile(path: path).readOrMake {
        Array("\(Hexadecimal.encode(secureRandom(count: 32).span))\n".utf8)
      }
      return String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isWhitespace })
    } catch {
      throw StartError("The secret \(path) of the local payment broker can't be read", error)
    }
  }

  /// How the supervisor runs it: this very program, with another command.
  func program(_ installation: Installation) -> SupervisedProgram {
    var environment = installation.settings.environment(for: .trackme)
    environment[SettingTable.state.definition.name] = installation.state.path
    let port = port
    return SupervisedProgram(
      name: Self.name,
      order: ProgramOrder(
        executable: "\(installation.programs)/trackme", arguments: ["broker"],
        environment: environment, deathSignal: SIGTERM),
      logPath: installation.state.file("logs/\(Self.name).log"), addresses: [url]
    ) { loop in
      await HTTPProbe.ask(port: port, on: loop)
    }
  }
}
