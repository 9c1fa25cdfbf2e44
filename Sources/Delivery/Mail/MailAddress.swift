/// An address that may stand in an envelope and in a header: it cannot break out of either.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The address, as `name@example.org`.
  package let text: String

  /// The longest address (RFC 5321, 4.5.3.1.3, less the angle brackets).
  package static let lengthMax = 254

  /// Takes visible ASCII characters around one `@`, without what has a meaning in headers or SMTP
  /// (brackets, quotes, commas, colons, semicolons, backslashes); else nil.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard (3...Self.lengthMax).contains(bytes.count),
      bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
      bytes.count(where: { $0 == UInt8(ascii: "@") }) == 1,
      bytes.first != UInt8(ascii: "@"), bytes.last != UInt8(ascii: "@")
    else { return nil }
    self.text = text
  }

  private static let forbidden = Set("()<>[]:;\\,\"".utf8)

  /// What stands behind the `@`.
  package var domain: Substring { text.split(separator: "@")[1] }

  /// Nothing of the address.
  package var description: String { "<MailAddress>" }

  /// Shows nothing.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
