/// Base64 (RFC 4648) without branches or table look-ups that depend on the bytes.
///
/// Comparisons are arithmetic, so that neither timing nor the cache reveals a secret.
package struct Base64: Sendable {
  /// The alphabet of section 4, ending in `+` and `/`.
  package static let standard = Base64(
    character62: UInt8(ascii: "+"), character63: UInt8(ascii: "/"))
  /// The URL-safe alphabet of section 5, ending in `-` and `_`.
  package static let url = Base64(character62: UInt8(ascii: "-"), character63: UInt8(ascii: "_"))
  private let character62: Int32
  private let character63: Int32

  private init(character62: UInt8, character63: UInt8) {
    self.character62 = Int32(character62)
    self.character63 = Int32(character63)
  }

  /// The character for the lowest six bits.
  package func character(_ bits: UInt32) -> UInt8 {
    let value = Int32(bitPattern: bits & 63)
    var result = value + 65
    result += ((25 - value) >> 8) & 6
    result -= ((51 - value) >> 8) & 75
    let isLast = (62 - value) >> 8
    let isNextToLast = ((61 - value) >> 8) & ~isLast
    result = result & ~isNextToLast | character62 & isNextToLast
    result = result & ~isLast | character63 & isLast
    return UInt8(truncatingIfNeeded: result)
  }

  /// The six bits of a character, or a negative number for one that is not in the alphabet.
  package func value(_ character: UInt8) -> Int32 {
    let code = Int32(character)
    var result: Int32 = -1
    result &+= (((64 &- code) & (code &- 91)) >> 8) & (code &- 64)
    result &+= (((96 &- code) & (code &- 123)) >> 8) & (code &- 70)
    result &+= (((47 &- code) & (code &- 58)) >> 8) & (code &+ 5)
    result &+= (((code ^ character62) &- 1) >> 8) & 63
    result &+= (((code ^ character63) &- 1) >> 8) & 64
    return result
  }

  /// Appends the characters for the bytes, without padding.
  package func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    var index = 0
    while index < bytes.count {
      let left = min(3, bytes.count - index)
      var group = UInt32(bytes[index]) << 16
      if left > 1 { group |= UInt32(bytes[index + 1]) << 8 }
      if left > 2 { group |= UInt32(bytes[index + 2]) }
      for place in 0...left { text.append(character(group >> UInt32(18 - 6 * place))) }
      index += 3
    }
  }

  /// Decodes unpadded characters; nil for characters outside the alphabet, and for surplus bits.
  ///
  /// All characters are checked before any is decoded: a malformed secret leaves no copy.
  package func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count & 3 != 1, hasOnlyCharacters(text), !hasSurplusBits(text) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var group: UInt32 = 0
    var bits = 0
    for index in text.indices {
      group = group << 6 | UInt32(bitPattern: value(text[index]) & 63)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
      }
    }
    return bytes
  }

  private func hasOnlyCharacters(_ text: Span<UInt8>) -> Bool {
    var faults: Int32 = 0
    for index in text.indices { faults |= value(text[index]) }
    return faults >= 0
  }

  /// Whether the last character has bits beyond the last whole byte.
  private func hasSurplusBits(_ text: Span<UInt8>) -> Bool {
    guard !text.isEmpty else { return false }
    let surplus = text.count * 6 & 7
    return value(text[text.count - 1]) & (1 << Int32(surplus) - 1) != 0
  }
}
