import Bytes

/// The secret that signs one third party's callbacks (Standard Webhooks 1.0.0).
package struct WebhookSecret: Sendable {
  /// The allowed lengths of a secret, in bytes.
  package static let byteCounts = 24...64
  private static let prefix = "whsec_"
  private let bytes: SecretBytes
  private let key: HMACKey

  private init(_ bytes: SecretBytes) {
    self.bytes = bytes
    key = HMACKey(bytes)
  }

  /// Generates a new secret of 32 bytes.
  package static func random() -> WebhookSecret { WebhookSecret(.random(count: 32)) }

  /// Reads `whsec_` and padded or unpadded base64 of 24 to 64 bytes, else throws
  /// `webhookSecretMalformed`.
  package init(_ text: Span<UInt8>) throws(CryptographyError) {
    let prefix = Self.prefix.utf8.span
    guard text.count >= prefix.count, text.count <= 128 else { throw .webhookSecretMalformed }
    for index in prefix.indices where text[index] != prefix[index] {
      throw .webhookSecretMalformed
    }
    var end = text.count
    while text.count - end < 2, text[end - 1] == UInt8(ascii: "=") { end -= 1 }
    guard end == text.count || (text.count - prefix.count).isMultiple(of: 4),
      var decoded = Base64.standard.decode(text.extracting(prefix.count..<end)),
      Self.byteCounts.contains(decoded.count)
    else { throw .webhookSecretMalformed }
    self.init(SecretBytes(consuming: &decoded))
  }

  /// The text that the third party is shown once.
  package var text: String {
    bytes.withBytes { Self.prefix + Self.padded($0) }
  }

  /// The value of `webhook-signature` for one attempt: `v1,` and base64 of HMAC-SHA256 over
  /// `identifier.timestamp.body`.
  ///
  /// The identifier has no dot (we generate it) and stays the same for every attempt; the timestamp
  /// is that of the attempt, in seconds since 1970.
  package func signature(identifier: String, timestamp: Int64, body: Span<UInt8>) -> String {
    let head = Array("\(identifier).\(timestamp).".utf8)
    let code = key.code(of: head.span, then: body).inlineBytes
    return "v1," + Self.padded(code.span)
  }

  /// Whether one of the signatures in the header, separated by spaces, is valid. The caller must
  /// check that the timestamp is recent. At most 16 signatures are checked.
  package func verify(
    header: String, identifier: String, timestamp: Int64, body: Span<UInt8>
  ) -> Bool {
    let expected = signature(identifier: identifier, timestamp: timestamp, body: body)
    return header.utf8.split(separator: UInt8(ascii: " "), maxSplits: 16).prefix(16).contains {
      areEqualInConstantTime(Array($0).span, expected.utf8.span)
    }
  }

  private static func padded(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    Base64.standard.append(bytes, to: &text)
    while !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
    return String(decoding: text, as: UTF8.self)
  }
}

extension WebhookSecret: CustomStringConvertible {
  /// The type's name, without the secret.
  package var description: String { "WebhookSecret" }
}
