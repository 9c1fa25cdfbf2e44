/// The keys of a browser's push subscription, with which messages to it are encrypted (RFC 8291).
package struct PushRecipient: Sendable {
  /// The length of the authentication secret in bytes.
  package static let secretBytes = 16
  /// The longest message in bytes: push services accept bodies of 4096 bytes (RFC 8291, 4).
  package static let messageBytesMax = 4096 - 86 - 17
  /// Messages are padded to this length, in bytes, so that the push service can't tell apart most
  /// of them.
  static let paddedBytes = 1024

  /// The browser's public key, an uncompressed point of P-256.
  package let point: [UInt8]
  /// The authentication secret, which the browser shares with the sender only.
  package let secret: [UInt8]

  /// The keys of a subscription; nil for a point off the curve or a secret of a different length.
  package init?(point: [UInt8], secret: [UInt8]) {
    guard secret.count == Self.secretBytes, P256Key.isPoint(point.span) else { return nil }
    self.point = point
    self.secret = secret
  }

  /// The encrypted message, as the body of a request with the content coding `aes128gcm`; nil for
  /// one that is too long.
  package func encrypted(_ message: Span<UInt8>) -> [UInt8]? {
    guard message.count <= Self.messageBytesMax else { return nil }
    return encrypted(
      message, sender: P256Key.randomSecret(),
      salt: secureRandom(count: EncryptedContent.saltBytes), paddedBytes: Self.paddedBytes)
  }

  /// The same with a sender's key and a salt, for test vectors; both must be new for each message.
  package func encrypted(
    _ message: Span<UInt8>, sender secretNumber: SecretBytes, salt: [UInt8], paddedBytes: Int = 0
  ) -> [UInt8]? {
    guard let sender = P256Key(secret: secretNumber),
      let shared = sender.sharedSecret(with: point.span)
    else { return nil }
    let uniform = shared.withBytes { HKDF.extract(salt: secret.span, material: $0) }
    let ownPoint = sender.point
    let info = Array("WebPush: info\0".utf8) + point + ownPoint
    let material = HKDF.expand(uniform, info: info.span, count: 32)
    return EncryptedContent.encrypted(
      message, material: material, salt: salt.span, keyIdentifier: ownPoint.span,
      paddedBytes: paddedBytes)
  }
}
