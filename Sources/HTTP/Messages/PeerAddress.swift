/// The address of the other end of a connection.
package enum PeerAddress: Hashable, Sendable {
  /// An IPv4 address in host byte order.
  case ipv4(UInt32, port: UInt16)
  /// An IPv6 address as two halves, the most significant first.
  case ipv6(UInt64, UInt64, port: UInt16)
  /// A process on this machine, through a Unix-domain socket.
  case unix

  /// The address without its port, to count connections per client. The form `::ffff:a.b.c.d`,
  /// which an IPv4 client has on a dual-stack socket, is mapped to the IPv4 address.
  package var host: PeerAddress {
    switch self {
    case .ipv6(0, let low, _) where low >> 32 == 0xFFFF:
      .ipv4(UInt32(truncatingIfNeeded: low), port: 0)
    case .ipv4(let address, _): .ipv4(address, port: 0)
    case .ipv6(let high, let low, _): .ipv6(high, low, port: 0)
    case .unix: .unix
    }
  }

  /// The IPv4 address, or the /64 network of an IPv6 address, because one client controls all of
  /// it.
  package var network: PeerAddress {
    switch host {
    case .ipv6(let high, _, _): .ipv6(high, 0, port: 0)
    case let other: other
    }
  }
}

extension PeerAddress: CustomStringConvertible {
  /// The address `host` in text form: `192.0.2.1`, `2001:db8:0:0:0:0:0:1` or `unix`.
  package var description: String {
    switch host {
    case .ipv4(let address, _):
      return [24, 16, 8, 0].map { String((address >> $0) & 255) }.joined(separator: ".")
    case .ipv6(let high, let low, _):
      let groups = [high, low].flatMap { half in
        [48, 32, 16, 0].map { String((half >> $0) & 0xFFFF, radix: 16) }
      }
      return groups.joined(separator: ":")
    case .unix: return "unix"
    }
  }
}
