import HTTP
import Web

/// The cookie in which a browser keeps the token of a login, out of the reach of scripts.
package enum SessionCookie {
  /// The name. Browsers accept the prefix only over TLS, for the path `/` and without a domain, so
  /// that no other host can set this cookie (RFC 6265bis, section 4.1.3.2).
  package static let name = "__Host-trackme"

  private static let attributes = "Path=/; Secure; HttpOnly; SameSite=Strict"

  /// The value of `Set-Cookie` that stores a token.
  package static func holding(_ token: String, for lifetime: Duration) -> String {
    "\(name)=\(token); Max-Age=\(lifetime.components.seconds); \(attributes)"
  }

  /// The value of `Set-Cookie` that removes the cookie.
  package static let removal = "\(name)=; Max-Age=0; \(attributes)"

  /// The values of all cookies of this name. HTTP/2 may divide the field into several.
  package static func values(in fields: HTTPFields) -> [[UInt8]] {
    guard fields.contains(.cookie) else { return [] }
    var values: [[UInt8]] = []
    fields.forEach(named: .cookie) { values += Self.values(in: $0) }
    return values
  }

  /// The values in one field.
  package static func values(in field: Span<UInt8>) -> [[UInt8]] {
    Array(copying: field).split(separator: UInt8(ascii: ";")).compactMap { pair in
      let pair = pair.drop(while: isBlank)
      guard pair.starts(with: prefix) else { return nil }
      var value = Array(pair.dropFirst(prefix.count))
      while let last = value.last, isBlank(last) { value.removeLast() }
      return value
    }
  }

  private static let prefix = Array("\(name)=".utf8)

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
