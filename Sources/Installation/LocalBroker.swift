import Bytes
import Cryptography
import Operations

/// A payment broker for development (REQ-7). It implements Stripe's hosted checkout on loopback
/// only, so that Data4Help runs the same code as with Stripe but charges no money. The operator's
/// tool decides whether it is needed, and starts the lab's command that serves it.
package struct LocalBroker: Sendable {
  /// The process name.
  package static let name = "broker"

  /// The port it listens on.
  package let port: UInt16
  /// Paths of the key with which Data4Help authenticates, and of the secret that signs
  /// confirmations.
  package let keyPath: String
  package let signingPath: String
  /// The gateway's plain HTTP port, which receives the confirmations.
  package let gatewayPort: UInt16

  /// A broker on `port` for the gateway on `gatewayPort`, with its secrets in the state directory.
  package init(port: UInt16, gatewayPort: UInt16, state: StateDirectory) {
    self.port = port
    self.gatewayPort = gatewayPort
    keyPath = state.file("keys/broker.key")
    signingPath = state.file("keys/broker.signing")
  }

  /// The broker of an installation, whether it is needed or not.
  ///
  /// - Throws: `StartError` for an invalid port.
  package init(_ installation: Installation) throws(StartError) {
    self.init(
      port: try installation.value(SettingTable.brokerPort),
      gatewayPort: try installation.value(SettingTable.httpPort), state: installation.state)
  }

  /// The base URL of the broker's pages and API.
  package var url: String { "http://127.0.0.1:\(port)" }

  /// Creates the two secrets if they are missing. Blocks.
  ///
  /// - Throws: `StartError` that names the file if one can't be read or created.
  package func prepare() throws(StartError) {
    _ = try secret(keyPath)
    _ = try secret(signingPath)
  }

  /// The secret in one of its files; creates a missing file.
  ///
  /// - Throws: `StartError` that names the file if it can't be read or created.
  package func secret(_ path: String) throws(StartError) -> String {
    try SecretFile(path: path).text(of: "the simulated payment broker") {
      Array("\(Hexadecimal.encode(secureRandom(count: 32).span))\n".utf8)
    }
  }
}
