/// The grammar of `host [":" port]` (RFC 3986, section 3.2; no user information).
enum Authority {
  /// Whether the bytes are an authority with a non-empty host.
  static func isValid(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count > 0, bytes.count <= 512 else { return false }
    var index = 0
    if bytes[0] == 0x5B {
      index = 1
      while index < bytes.count, isInsideBrackets(bytes[index]) { index += 1 }
      guard index > 1, index < bytes.count, bytes[index] == 0x5D else { return false }
      index += 1
    } else {
      while index < bytes.count, isRegisteredName(bytes[index]) { index += 1 }
      guard index > 0 else { return false }
    }
    guard index < bytes.count else { return true }
    guard bytes[index] == ASCII.colon, bytes.count - index <= 6 else { return false }
    for digit in bytes.extracting((index + 1)..<bytes.count).indices
    where !ASCII.isDigit(bytes[index + 1 + digit]) { return false }
    return true
  }

  private static func isInsideBrackets(_ byte: UInt8) -> Bool {
    ASCII.hexadecimal(byte) != nil || byte == ASCII.colon || byte == 0x2E
  }

  /// Unreserved characters, `%` and sub-delims.
  private static func isRegisteredName(_ byte: UInt8) -> Bool {
    if ASCII.isUnreserved(byte) { return true }
    switch byte {
    case 0x21, 0x24, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x3B, 0x3D: return true
    default: return false
    }
  }
}
