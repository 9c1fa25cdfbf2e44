/// A mail address that is safe in an SMTP envelope and in a header: it cannot inject into either.
package struct MailAddress: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The address, such as `name@example.org`.
  package let text: String

  /// The maximum length (RFC 5321, 4.5.3.1.3, less the angle brackets).
  package static let lengthMax = 254

  /// Accepts visible ASCII characters around one `@`, without characters that have a meaning in
  /// headers or SMTP (brackets, quotes, commas, colons, semicolons, backslashes); otherwise nil.
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

  /// The part after the `@`.
  package var domain: Substring { text.split(separator: "@")[1] }

  /// Hides the address.
  package var description: String { "<MailAddress>" }

  /// Hides the address.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
