import HTTP
import Operations
import ServiceKit

/// The holder of an inner certificate: a service of the product, or another server, such as a
/// database, with the names under which clients know it.
package struct CertificateHolder: Sendable, Equatable {
  /// The name of the holder's directory, and the first name of its certificate.
  package let name: String
  /// What the certificate permits: only services open connections with theirs.
  package let order: CertificateOrder

  private static let services: [ProcessKind] = [.gateway, .data4help, .track4run]
  private static let addressBytes = Set("0123456789abcdefABCDEF:.".utf8)

  /// Reads `gateway`, `data4help`, `track4run`, or `NAME=HOST,…` of another server.
  ///
  /// - Throws: `StartError` for any other text.
  package init(_ text: String) throws(StartError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    let hosts =
      parts.count == 2
      ? parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init) : []
    let service = Self.services.first { $0.innerName == name }
    let isName =
      (1...40).contains(name.utf8.count) && name.utf8.first != 0x2D
      && name.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
      }
    // A server's certificate never has the name of a service.
    let areHosts = hosts.allSatisfy { host in
      let isAddress = host.utf8.allSatisfy { Self.addressBytes.contains($0) }
      return !Self.services.contains { $0.innerName == host.lowercased() }
        && (isAddress || !host.contains(":"))
    }
    guard isName, areHosts, (service == nil) == (parts.count == 2),
      let order = CertificateOrder(
        name: name, alternatives: hosts, isServer: service != .gateway, isClient: service != nil)
    else {
      throw StartError(
        "\(text) is neither gateway, data4help or track4run, nor NAME=HOST,… of another server.")
    }
    self.name = name
    self.order = order
  }

  /// The text that the initialiser reads.
  var line: String {
    order.alternatives.isEmpty ? name : "\(name)=\(order.alternatives.joined(separator: ","))"
  }
}
