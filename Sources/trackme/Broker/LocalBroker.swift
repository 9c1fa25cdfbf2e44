import CLinux
import Data4Help
import Delivery
import Domain
import EventLoop
import Foundation
import Operations
import Privacy

/// A payment broker for development (REQ-7): what takes payments where the operator asks for one in
/// play, or where requests have a price on an installation that nobody else can reach. It speaks as
/// the hosted checkout of Stripe does, on loopback only, so that Data4Help does with it what it
/// would do with Stripe; nobody is charged.
package struct LocalBroker: Sendable {
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

  /// A broker on this port, of a gateway on that one, with its secrets in the state directory.
  package init(port: UInt16, gatewayPort: UInt16, state: StateDirectory) {
    self.port = port
    self.gatewayPort = gatewayPort
    keyPath = state.file("keys/broker.key")
    signingPath = state.file("keys/broker.signing")
  }

  /// The broker of an installation; nil where none is needed.
  ///
  /// - Throws: `StartError` as `isNeeded`.
  init?(_ installation: Installation) throws(StartError) {
    guard try Self.isNeeded(installation.settings) else { return nil }
    self.init(
      port: try installation.value(SettingTable.brokerPort),
      gatewayPort: try installation.value(SettingTable.httpPort), state: installation.state)
  }

  /// Whether these settings want a broker in play: in so many words, or by a price without a
  /// broker on an installation whose public URL leads to this very machine.
  ///
  /// - Throws: `StartError` where somebody else could pay in play, who was to pay for real: a price
  ///   without a broker under any other public URL, or a real broker's files without its address.
  package static func isNeeded(_ settings: Settings) throws(StartError) -> Bool {
    let payments: PaymentSettings
    let publicURL: String
    do throws(SettingsError) {
      payments = try PaymentSettings(settings)
      publicURL = try settings.value(SettingTable.publicURL)
    } catch {
      throw StartError(error)
    }
    try payments.refuseLoneFiles()
    switch payments.broker {
    case .at: return false
    case .inPlay: return true
    case .none:
      guard payments.prices.areDue else { return false }
      guard isOnLoopback(publicURL) else {
        throw StartError(
          "Requests have a price and nobody takes payments: set TRACKME_PAYMENT_URL, to "
            + "\(SettingTable.paymentInPlay) for a broker that charges nobody, or no price.")
      }
      return true
    }
  }

  /// Whether a URL leads to this machine, wherever it is read.
  private static func isOnLoopback(_ url: String) -> Bool {
    guard let host = URLComponents(string: url)?.host?.lowercased() else { return false }
    if host == "localhost" { return true }
    guard let address = AddressRange.address(host.trimmingCharacters(in: ["[", "]"])) else {
      return false
    }
    return ["127.0.0.0/8", "::1/128"].contains { range in
      AddressRange(range)?.contains(address) == true
    }
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
    try SecretFile(path: path).text(of: "the payment broker in play") {
      Array("\(Hexadecimal.encode(secureRandom(count: 32).span))\n".utf8)
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
