/// The URL of a third party's callback endpoint.
///
/// The address behind the host is checked when a connection is opened. This type only refuses what
/// is invalid in any case.
package struct CallbackURL: Sendable, Equatable {
  /// The maximum length in bytes.
  package static let lengthMax = 500
  package let text: String
  /// Whether the scheme is https.
  package let isEncrypted: Bool
  /// The host, with the port if the URL has one.
  package let host: String

  /// Accepts `https://` or `http://`, a host and the rest in visible ASCII characters. Returns nil
  /// otherwise, also for a URL with a user, a password or a fragment.
  package init?(_ text: String, lengthMax: Int = Self.lengthMax) {
    let bytes = Array(text.utf8)
    guard bytes.count <= lengthMax,
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
