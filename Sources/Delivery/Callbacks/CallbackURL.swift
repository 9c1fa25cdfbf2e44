/// Where a third party wants to be called.
///
/// What it leads to is judged when a connection is made, by the address it goes to; here only what
/// is wrong in any case is refused.
package struct CallbackURL: Sendable, Equatable {
  /// The longest, in bytes.
  package static let lengthMax = 500
  /// The text.
  package let text: String
  /// Whether it is https.
  package let isEncrypted: Bool
  /// The host, with the port where one was given.
  package let host: String

  /// Takes `https://` or `http://`, a host, and what follows, in visible ASCII characters; nil for
  /// all else, and with a user, a password or a fragment.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count <= Self.lengthMax,
      bytes.allSatisfy({ (0x21...0x7E).contains($0) && !Self.forbidden.contains($0) }),
      let scheme = ["https://", "http://"].first(where: { text.hasPrefix($0) })
    else { return nil }
    let authority = bytes.dropFirst(scheme.utf8.count).prefix { !Self.ends.contains($0) }
    guard let first = authority.first, first != UInt8(ascii: ":"),
      !authority.contains(UInt8(ascii: "@"))
    else { return nil }
    self.text = text
    host = String(decoding: authority, as: UTF8.self)
    isEncrypted = scheme == "https://"
  }

  private static let forbidden = Array("\"#<>\\^`{|}".utf8)
  private static let ends = Array("/?".utf8)
}
