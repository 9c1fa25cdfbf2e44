import HTTP
import Operations
import ServiceKit

/// The holder of an inner certificate: a service of the product, the monitoring, or another server,
/// such as a database, with the names under which others know it.
package struct CertificateHolder: Sendable, Equatable {
  /// The name of the holder's directory, and the first name of its certificate.
  package let name: String
  /// What the certificate permits.
  package let order: CertificateOrder
  private let hosts: [String]

  private static let services = [ProcessKind.gateway, .data4help, .track4run].map(\.innerName)
  private static let monitoring = InnerTLS.monitoringName
  private static let addressBytes = Set("0123456789abcdefABCDEF:.".utf8)

  /// Reads `gateway`, `data4help`, `track4run`, `monitoring`, or `NAME=HOST,…` of the monitoring or
  /// another server.
  ///
  /// - Throws: `StartError` for any other text.
  package init(_ text: String) throws(StartError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = Self.name(in: text)
    let hosts =
      parts.count == 2
      ? parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
    let isService = Self.services.contains(name)
    let isName =
      (1...40).contains(name.utf8.count) && name.utf8.first != 0x2D && name != "issued"
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
    // A server's certificate never has the name of a service or of the monitoring.
    let areHosts = hosts.allSatisfy { host in
      let isAddress = host.utf8.allSatisfy { Self.addressBytes.contains($0) }
      return !(Self.services + [Self.monitoring]).contains(host.lowercased())
        && (isAddress || !host.contains(":"))
    }
    let hasRightHosts = name == Self.monitoring || isService == hosts.isEmpty
    guard isName, areHosts, hasRightHosts,
      let order = CertificateOrder(
        name: name, alternatives: isService ? [InnerTLS.metricsName] : hosts,
        isServer: name != Self.monitoring)
    else {
      throw StartError(
        "\(text) is neither gateway, data4help, track4run or monitoring, nor NAME=HOST,… of "
          + "another server.")
    }
    self.hosts = hosts
    self.name = name
    self.order = order
  }

  /// The name in the text of a holder, which may not be allowed.
  static func name(in text: String) -> String {
    String(text.prefix { $0 != "=" })
  }

  /// The text that the initialiser reads.
  var line: String {
    hosts.isEmpty ? name : "\(name)=\(hosts.joined(separator: ","))"
  }
}
