import EventLoop
import HTTP
import Operations

/// The security of a process's connections to the other processes of the product: TLS on TCP where
/// `TRACKME_INNER_TLS` is set, otherwise plain connections that stay on this machine.
package struct InnerConnections: Sendable {
  private let tls: InnerTLS?

  /// The security of the settings; adds the reading of renewed certificates to the lifecycle.
  ///
  /// - Throws: `StartError` if a certificate is missing or wrong.
  package init(_ process: ServiceProcess) throws(StartError) {
    let directory = try process.read { (settings) throws(SettingsError) in
      try settings.optional(SettingTable.innerTLS)
    }
    guard let directory else {
      tls = nil
      return
    }
    let tls = try InnerTLS(
      directory: directory, of: process.kind, log: process.log, metrics: process.metrics,
      environment: process.environment)
    self.tls = tls
    process.lifecycle.add(tls.component(on: process.loops[0]))
  }

  /// How to connect to the replicas of a service at these addresses.
  ///
  /// - Throws: `StartError` if one of them is on another machine and there is no certificate.
  package func link(
    to service: ProcessKind, at addresses: [SocketAddress]
  ) throws(StartError) -> InnerLink {
    guard let tls else {
      for address in addresses { try Self.demandLocal(address) }
      return .plain
    }
    return InnerLink(tls.client, to: service)
  }

  /// How a service listens on its address.
  ///
  /// - Throws: `StartError` if other machines reach the address and there is no certificate.
  func listener(_ address: SocketAddress) throws(StartError) -> HTTPListener {
    guard let tls else {
      try Self.demandLocal(address)
      return HTTPListener(address)
    }
    guard case .tcp = address, let server = tls.server else { return HTTPListener(address) }
    return HTTPListener(address, following: server)
  }

  /// How a process listens for its metrics: where other machines reach the address, for the
  /// monitoring alone.
  ///
  /// - Throws: `StartError` if they reach it and there is no certificate.
  package func metricsListener(host: String, port: UInt16) throws(StartError) -> HTTPListener {
    let address = SocketAddress.tcp(host: host, port: port)
    guard let tls, address.isOnOtherMachines else {
      try Self.demandLocal(address)
      return HTTPListener(address)
    }
    return HTTPListener(address, following: tls.metrics)
  }

  private static func demandLocal(_ address: SocketAddress) throws(StartError) {
    guard address.isOnOtherMachines else { return }
    throw StartError(
      "\(address) is reached over a network: set \(SettingTable.innerTLS.definition.name), or use "
        + "a loopback address or a Unix socket.")
  }
}

extension SocketAddress {
  /// Whether packets to this address may leave the machine. Every address of 127.0.0.0/8 stays on
  /// it (RFC 1122, section 3.2.1.3).
  package var isOnOtherMachines: Bool {
    switch self {
    case .unix: false
    case .tcp(let host, _): !(Self.isLoopbackIPv4(host) || host == "::1" || host == "localhost")
    }
  }

  /// Digits and dots alone: a name such as `127.example.org` may be that of another machine.
  private static func isLoopbackIPv4(_ host: String) -> Bool {
    host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }
}

/// How a process connects to the replicas of a service: over TLS, or plainly.
package struct InnerLink: Sendable {
  /// Without TLS.
  package static let plain = InnerLink()

  private let tls: CurrentTLSContext?
  private let name: String

  private init() {
    tls = nil
    name = ""
  }

  /// Over TLS with the context that is current at each connection; the replica's certificate must
  /// name the service.
  package init(_ tls: CurrentTLSContext, to service: ProcessKind) {
    self.tls = tls
    name = service.innerName
  }

  /// Adds TLS to the settings of a connection. Unix sockets need none: their directory admits only
  /// the user of the processes.
  package func secure(_ settings: inout HTTPClientSettings, to address: SocketAddress) {
    guard let tls, case .tcp = address else { return }
    settings.followedTLS = tls
    settings.serverName = name
  }
}
