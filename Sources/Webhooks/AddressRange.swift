import CCurl

/// An IP address range in CIDR notation, such as `10.0.0.0/8`.
package struct AddressRange: Sendable, Equatable {
  private let bytes: [UInt8]
  private let bits: Int

  /// Parses CIDR notation; nil if the text is invalid.
  package init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let bytes = Self.address(String(parts[0])),
      let bits = Int(parts[1]), (0...8 * bytes.count).contains(bits)
    else { return nil }
    self.bytes = bytes
    self.bits = bits
  }

  /// The 4 or 16 bytes of an IP address; nil if the text is not one.
  package static func address(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    // SAFETY: the text ends with a NUL, and at most 16 bytes are written.
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe ccurl_parse_address(text, buffer.baseAddress)
    }
    return count == 0 ? nil : Array(bytes.prefix(Int(count)))
  }

  /// Whether the range contains an address of 4 or 16 bytes; false for the other IP version.
  package func contains(_ address: [UInt8]) -> Bool {
    guard address.count == bytes.count else { return false }
    let whole = bits / 8
    guard address.prefix(whole) == bytes.prefix(whole) else { return false }
    let rest = bits % 8
    return rest == 0 || (address[whole] ^ bytes[whole]) >> UInt8(8 - rest) == 0
  }
}

/// Which addresses callbacks may reach: public ones, and the ranges that the operator allows.
package struct CallbackAddresses: Sendable {
  private let allowed: [AddressRange]

  /// Admits public addresses and these ranges.
  package init(allowed: [AddressRange]) { self.allowed = allowed }

  /// Whether a connection to an address of 4 or 16 bytes is allowed; without TLS, only within the
  /// operator's ranges.
  package func admit(_ address: [UInt8], isEncrypted: Bool) -> Bool {
    if allowed.contains(where: { $0.contains(address) }) { return true }
    return isEncrypted && Self.isPublic(address)
  }

  /// Whether no connection for a URL can be allowed: its host is an address that is not called, or
  /// it is not encrypted and its host is a name. Other names are checked when they are resolved.
  package func rulesOut(_ url: CallbackURL) -> Bool {
    let host = url.host
    let name =
      host.hasPrefix("[") ? host.dropFirst().prefix { $0 != "]" } : host.prefix { $0 != ":" }
    guard let address = AddressRange.address(String(name)) else { return !url.isEncrypted }
    return !admit(address, isEncrypted: url.isEncrypted)
  }

  /// Whether an address is reachable on the public internet.
  ///
  /// In IPv6 only 2000::/3 is allocated for global unicast (RFC 4291, 2.4). So loopback, unique
  /// local, link-local, multicast, mapped and translated addresses (64:ff9b::/96, 64:ff9b:1::/48)
  /// are not public without being listed.
  package static func isPublic(_ address: [UInt8]) -> Bool {
    switch address.count {
    case 4: !special4.contains { $0.contains(address) }
    case 16: given6.contains { $0.contains(address) } && !special6.contains { $0.contains(address) }
    default: false
    }
  }

  // IANA IPv4 and IPv6 Special-Purpose Address Registries (RFC 6890, RFC 5771, RFC 1112).
  private static let special4 = [
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15",
    "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
  ].compactMap { AddressRange($0) }
  private static let given6 = ["2000::/3"].compactMap { AddressRange($0) }
  // Protocol assignments with Teredo, documentation, 6to4.
  private static let special6 = ["2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20"]
    .compactMap { AddressRange($0) }
}
