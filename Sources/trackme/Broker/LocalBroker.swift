import CLinux
import Data4Help
import Delivery
import Domain
import EventLoop
import Foundation
import Operations
import Privacy

/// A payment broker for development (REQ-7). It is used if the operator enables test payments, or
/// if requests have a price on an installation that is only reachable from this machine. It
/// implements Stripe's hosted checkout on loopback only, so that Data4Help runs the same code as
/// with Stripe but charges no money.
package struct LocalBroker: Sendable {
  /// The process name.
  static let name = "broker"

  /// The port it listens on.
  let port: UInt16
  /// Paths of the key with which Data4Help authenticates, and of the secret that signs
  /// confirmations.
  let keyPath: String
  let signingPath: String
  /// The gateway's plain HTTP port, which receives the confirmations.
  let gatewayPort: UInt16

  /// A broker on `port` for the gateway on `gatewayPort`, with its secrets in the state directory.
  package init(port: UInt16, gatewayPort: UInt16, state: StateDirectory) {
    self.port = port
    self.gatewayPort = gatewayPort
    keyPath = state.file("keys/broker.key")
    signingPath = state.file("keys/broker.signing")
  }

  /// The broker of an installation; nil if none is needed.
  ///
  /// - Throws: the `StartError` of `isNeeded`.
  init?(_ installation: Installation) throws(StartError) {
    guard try Self.isNeeded(installation.settings) else { return nil }
    self.init(
      port: try installation.value(SettingTable.brokerPort),
      gatewayPort: try installation.value(SettingTable.httpPort), state: installation.state)
  }

  /// Whether these settings require a local broker: by an explicit setting, or by a price without a
  /// broker on an installation whose public URL points to this machine.
  ///
  /// - Throws: `StartError` if a payer could settle a real payment with a test payment: a price
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
          "Requests have a price but no payment broker is configured: set TRACKME_PAYMENT_URL, to "
            + "\(SettingTable.paymentInPlay) for a broker that charges nobody, or no price.")
      }
      return true
    }
  }

  /// Whether a URL points to this machine wherever it is resolved.
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

  /// The base URL of the broker's pages and API.
  var url: String { "http://127.0.0.1:\(port)" }

  /// The settings passed to a service that accepts payments: names and values.
  var variables: [String: String] {
    [
      SettingTable.paymentURL.definition.name: url,
      SettingTable.paymentKeyPath.definition.name: keyPath,
      SettingTable.paymentSigningPath.definition.name: signingPath,
    ]
  }

  /// Creates the two secrets if they are missing. Blocks.
  func prepare() throws(StartError) {
    _ = try secret(keyPath)
    _ = try secret(signingPath)
  }

  /// The secret in one of its files; creates a missing file.
  func secret(_ path: String) throws(StartError) -> String {
    try SecretFile(path: path).text(of: "the payment broker in play") {
      Array("\(Hexadecimal.encode(secureRandom(count: 32).span))\n".utf8)
    }
  }

  /// The program for the supervisor: this executable with another command.
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
