import CLinux

/// The address a service listens on: a Unix socket, or a host and port.
package enum ServiceAddress: Sendable, Hashable, CustomStringConvertible {
  /// A socket in the file system; its path has at most 107 bytes (`sun_path`, unix(7)).
  case unix(path: String)
  /// An internet address or a host name, with a port.
  case tcp(host: String, port: UInt16)

  /// The longest path of a Unix socket, in bytes.
  package static let unixPathBytesMax = 107

  /// Reads `unix:/path`, `127.0.0.1:9000`, `[::1]:9000` or `host:9000`; `nil` for any other text.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard path.hasPrefix("/"), path.utf8.count <= Self.unixPathBytesMax,
        path.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x2C })
      else { return nil }
      self = .unix(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":"),
      let port = UInt16(text[text.index(after: colon)...]), port > 0
    else { return nil }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
      guard InternetAddressKind(String(host)) == .version6 else { return nil }
    } else if host.isEmpty || host.contains(where: { ":/ ,[]@".contains($0) }) {
      return nil
    }
    self = .tcp(host: String(host), port: port)
  }

  /// The notation that `init` parses.
  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
  }
}

/// The version of an internet address.
enum InternetAddressKind {
  case version4, version6

  init?(_ text: String) {
    // SAFETY: the buffer has the size of the longest address, and the text is NUL-terminated.
    var address = in6_addr()
    if unsafe inet_pton(AF_INET, text, &address) == 1 {
      self = .version4
    } else if unsafe inet_pton(AF_INET6, text, &address) == 1 {
      self = .version6
    } else {
      return nil
    }
  }

  var bits: Int {
    switch self {
    case .version4: 32
    case .version6: 128
    }
  }
}
