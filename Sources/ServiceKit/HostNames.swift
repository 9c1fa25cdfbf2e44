import CLinux
import HTTP
import Operations

/// Resolves the addresses of other processes of the product, once at start: this blocks.
package enum HostNames {
  /// The largest number of replicas of a service: requests count those that they tried in a word.
  private static let countMax = 64

  /// The addresses in the same order; each address of a name counts as a replica.
  ///
  /// - Throws: `StartError` for an unknown name, and for more than 64 addresses.
  package static func resolve(_ addresses: [ServiceAddress]) throws(StartError) -> [SocketAddress] {
    var resolved: [SocketAddress] = []
    for address in addresses {
      switch address {
      case .unix(let path): resolved.append(.unix(path: path))
      case .tcp(let host, let port):
        let hosts = numericHosts(host)
        guard !hosts.isEmpty else { throw StartError("The host \(host) has no address.") }
        resolved += hosts.map { .tcp(host: $0, port: port) }
      }
    }
    guard resolved.count <= countMax else {
      throw StartError("\(resolved.count) replicas are configured: at most \(countMax) can be.")
    }
    return resolved
  }

  /// All addresses of a host, without duplicates.
  private static func numericHosts(_ host: String) -> [String] {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    // SAFETY: the list that getaddrinfo allocates is freed at the end, and read only until then;
    // the buffer is as long as any numeric host.
    guard unsafe getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
    defer { unsafe freeaddrinfo(found) }
    var hosts: [String] = []
    var next = unsafe found
    while let entry = unsafe next {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = unsafe getnameinfo(
        entry.pointee.ai_addr, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0,
        NI_NUMERICHOST)
      let numeric = String(
        decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      if code == 0, !hosts.contains(numeric) { hosts.append(numeric) }
      unsafe next = entry.pointee.ai_next
    }
    return hosts
  }
}
