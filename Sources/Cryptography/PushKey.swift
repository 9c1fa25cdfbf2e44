import Bytes

/// The key with which this installation identifies itself to push services (VAPID, RFC 8292). Each
/// subscription of a browser is bound to its public key.
package struct PushKey: Sendable {
  /// The public key, an uncompressed point of P-256.
  package let point: [UInt8]
  let bytes: SecretBytes

  /// Generates a new key.
  package static func random() -> PushKey {
    guard let key = PushKey(checked: P256Key.randomSecret()) else {
      preconditionFailure("OpenSSL refuses a key that it created.")
    }
    return key
  }

  /// The key of a secret number; nil for one that is out of range.
  init?(checked bytes: SecretBytes) {
    guard let key = P256Key(secret: bytes) else { return nil }
    point = key.point
    self.bytes = bytes
  }

  /// The identifier, derived from the key itself.
  package var identifier: KeyIdentifier { KeyIdentifier(of: bytes) }

  /// The public key in base64url, as browsers and push services expect it.
  package var publicText: String {
    var text: [UInt8] = []
    Base64.url.append(point.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The value of `Authorization` for a push service (RFC 8292, 3): a token for its origin, as
  /// `https://push.example.net`, that is valid until a time in seconds since 1970, at most a day
  /// ahead. `contact` is a URL, `mailto:` or `https:`.
  package func authorization(
    for origin: String, until seconds: Int64, contact: String
  ) -> String {
    guard let key = P256Key(secret: bytes) else {
      preconditionFailure("OpenSSL refuses a key that it accepted before.")
    }
    var token: [UInt8] = []
    Base64.url.append(#"{"typ":"JWT","alg":"ES256"}"#.utf8.span, to: &token)
    token.append(UInt8(ascii: "."))
    let claims = #"{"aud":"\#(origin)","exp":\#(seconds),"sub":"\#(contact)"}"#
    Base64.url.append(claims.utf8.span, to: &token)
    let signature = key.signature(of: token.span)
    token.append(UInt8(ascii: "."))
    Base64.url.append(signature.span, to: &token)
    return "vapid t=\(String(decoding: token, as: UTF8.self)), k=\(publicText)"
  }
}
