import CLinux
import EventLoop

/// An address to listen on or to connect to.
package enum SocketAddress: Hashable, Sendable {
  /// A numeric IPv4 or IPv6 address (names are resolved elsewhere, because resolution blocks) and a
  /// port; for port 0 the system chooses one.
  case tcp(host: String, port: UInt16)
  /// A Unix-domain socket; a path has at most 107 bytes.
  case unix(path: String)
}

extension SocketAddress: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }
}

extension SocketAddress {
  /// The protocol family for `socket`.
  var family: Int32 {
    switch self {
    case .tcp(let host, _): host.contains(":") ? AF_INET6 : AF_INET
    case .unix: AF_UNIX
    }
  }

  /// Calls `body` with the address as a `sockaddr`.
  ///
  /// - Throws: `SystemError` EINVAL for a host that is not a numeric address, ENAMETOOLONG for a
  ///   path that is too long.
  func withSystemAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) throws(SystemError) -> Result {
    var storage = sockaddr_storage()
    let length = try fill(&storage)
    // SAFETY: the storage is large enough and correctly aligned for every address type.
    return unsafe withUnsafePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, length) }
    }
  }

  private func fill(_ storage: inout sockaddr_storage) throws(SystemError) -> socklen_t {
    switch self {
    case .tcp(let host, let port) where host.contains(":"):
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      // SAFETY: inet_pton writes the sixteen bytes of the field.
      let isValid = unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1
      guard isValid else { throw SystemError(call: "inet_pton", code: EINVAL) }
      return SocketAddress.store(address, in: &storage)
    case .tcp(let host, let port):
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      // SAFETY: inet_pton writes the four bytes of the field.
      let isValid = unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1
      guard isValid else { throw SystemError(call: "inet_pton", code: EINVAL) }
      return SocketAddress.store(address, in: &storage)
    case .unix(let path):
      var address = sockaddr_un()
      address.sun_family = sa_family_t(AF_UNIX)
      let bytes = Array(path.utf8)
      let room = MemoryLayout.size(ofValue: address.sun_path)
      guard bytes.count < room, !bytes.isEmpty else {
        throw SystemError(call: "bind", code: ENAMETOOLONG)
      }
      // SAFETY: the path is shorter than the field, whose rest is zero.
      unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
      return SocketAddress.store(address, in: &storage)
    }
  }

  private static func store<Address>(
    _ address: Address, in storage: inout sockaddr_storage
  ) -> socklen_t {
    // SAFETY: a sockaddr_storage is as large as, and aligned for, any address structure.
    unsafe withUnsafeMutableBytes(of: &storage) {
      unsafe $0.storeBytes(of: address, as: Address.self)
    }
    return socklen_t(MemoryLayout<Address>.size)
  }

  /// The actual address of a bound socket, with the port chosen by the system.
  func bound(_ descriptor: Int32) throws(SystemError) -> SocketAddress {
    guard case .tcp(let host, _) = self else { return self }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    // SAFETY: the kernel writes at most `length` bytes into the storage, which has that size.
    let result = unsafe withUnsafeMutablePointer(to: &storage) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe getsockname(descriptor, $0, &length)
      }
    }
    try SystemError.check("getsockname", result)
    switch PeerAddress(storage) {
    case .ipv4(_, let port), .ipv6(_, _, let port): return .tcp(host: host, port: port)
    case .unix: return self
    }
  }
}

extension PeerAddress {
  /// Converts the system's form of a peer's address.
  init(_ storage: sockaddr_storage) {
    var storage = storage
    let family = Int32(storage.ss_family)
    // SAFETY: the family states which structure the storage holds; it is as large as any of them.
    self = unsafe withUnsafeBytes(of: &storage) { bytes in
      switch family {
      case AF_INET:
        let address = unsafe bytes.load(as: sockaddr_in.self)
        return .ipv4(
          UInt32(bigEndian: address.sin_addr.s_addr), port: UInt16(bigEndian: address.sin_port))
      case AF_INET6:
        let port = unsafe bytes.load(fromByteOffset: 2, as: UInt16.self)
        let high = unsafe bytes.load(fromByteOffset: 8, as: UInt64.self)
        let low = unsafe bytes.load(fromByteOffset: 16, as: UInt64.self)
        return .ipv6(
          UInt64(bigEndian: high), UInt64(bigEndian: low), port: UInt16(bigEndian: port))
      default: return .unix
      }
    }
  }
}
