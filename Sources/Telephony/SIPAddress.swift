/// The destination of voice calls: a user at a host, in the form `sip:user@host`. Only of
/// characters that need no escaping in SIP (RFC 3261, 25.1) nor in a line of baresip.
package struct SIPAddress: Sendable, Equatable {
  /// The user at the host.
  package let user: String
  /// The host, with its port if there is one.
  package let host: SIPHost

  /// The address in a setting such as `sip://pbx.example.org/emergencies`; nil for any other form.
  package init?(url: String) {
    guard url.hasPrefix("sip://") else { return nil }
    let parts = url.dropFirst("sip://".count).split(
      separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let host = SIPHost(String(parts[0])) else { return nil }
    self.init(user: String(parts[1]), host: host)
  }

  /// A user there; nil for one with characters other than letters, digits, `+-._*#`.
  package init?(user: String, host: SIPHost) {
    guard (1...64).contains(user.utf8.count), user.utf8.allSatisfy(Self.isUserByte) else {
      return nil
    }
    self.user = user
    self.host = host
  }

  /// The address in the syntax of baresip.
  package var text: String { "sip:\(user)@\(host.text)" }

  /// Whether a gateway could interpret it as a telephone number: it contains only digits and the
  /// usual separators.
  package var isTelephoneNumber: Bool {
    !user.utf8.contains { SIPHost.isLetter($0) || $0 == 0x5F }
  }

  private static func isUserByte(_ byte: UInt8) -> Bool {
    SIPHost.isNameByte(byte) || [0x23, 0x2A, 0x2B, 0x5F].contains(byte)
  }
}

/// A host that accepts SIP calls, by name or address, with a port or without.
package struct SIPHost: Sendable, Equatable {
  /// The text within an address.
  package let text: String

  /// The host in a setting such as `sip://pbx.example.org:5060`; nil for any other form.
  package init?(url: String) {
    guard url.hasPrefix("sip://") else { return nil }
    self.init(String(url.dropFirst("sip://".count)))
  }

  /// A host such as `pbx.example.org`, `192.0.2.1:5060` or `[2001:db8::1]`.
  package init?(_ text: String) {
    let isBracketed = text.hasPrefix("[")
    let name = isBracketed ? text.dropFirst().prefix { $0 != "]" } : text.prefix { $0 != ":" }
    let rest = text.dropFirst(name.count + (isBracketed ? 2 : 0))
    guard (1...253).contains(name.utf8.count), !isBracketed || text.contains("]"),
      name.utf8.allSatisfy({ Self.isNameByte($0) || (isBracketed && $0 == 0x3A) }),
      rest.isEmpty || (rest.hasPrefix(":") && UInt16(rest.dropFirst()).map { $0 > 0 } == true)
    else { return nil }
    self.text = text
  }

  static func isLetter(_ byte: UInt8) -> Bool {
    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
  }

  static func isNameByte(_ byte: UInt8) -> Bool {
    isLetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2D || byte == 0x2E
  }
}
