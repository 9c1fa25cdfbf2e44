import Bytes

extension DigestValue {
  /// The 64 lower-case hexadecimal digits of the digest.
  package var hexadecimal: String { Hexadecimal.encode(bytes.span) }

  /// Reads 64 lower-case hexadecimal digits; anything else is nil.
  package init?(hexadecimal text: Span<UInt8>) {
    guard let bytes = Hexadecimal.decode(text), let digest = try? Digest256(bytes: bytes.span)
    else {
      return nil
    }
    self.init(digest: digest)
  }

  /// Reads 64 lower-case hexadecimal digits; anything else is nil.
  package init?(hexadecimal text: String) { self.init(hexadecimal: text.utf8.span) }
}
