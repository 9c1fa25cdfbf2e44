/// A universally unique identifier (RFC 9562), as used by requests and pairings.
package struct UniversalID: Hashable, Sendable {
  /// The first eight bytes, most significant first.
  package let high: UInt64
  /// The last eight bytes, most significant first.
  package let low: UInt64

  /// Takes the 128 bits unchanged, of any version.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// An identifier of version 4 from 128 random bits; six of them are overwritten.
  package init(random high: UInt64, _ low: UInt64) {
    self.init(high: high & ~0xf000 | 0x4000, low: low & ~(0b11 << 62) | 0b10 << 62)
  }

  /// Parses the form of 36 characters, 8-4-4-4-12 hexadecimal digits in either case; nil for
  /// others.
  package init?(_ text: Span<UInt8>) {
    guard text.count == 36 else { return nil }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for index in text.indices {
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard text[index] == UInt8(ascii: "-") else { return nil }
        continue
      }
      let isUpper = (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(text[index])
      guard let digit = Hexadecimal.value(isUpper ? text[index] | 0x20 : text[index]) else {
        return nil
      }
      words.high = words.high << 4 | words.low >> 60
      words.low = words.low << 4 | UInt64(digit)
    }
    self.init(high: words.high, low: words.low)
  }

  /// Parses the form of 36 characters; nil for others.
  package init?(_ text: String) { self.init(text.utf8.span) }

  /// Reads the 16 bytes, most significant first; nil for another length.
  package init?(bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    self.init(high: bytes.bigEndianWord(at: 0), low: bytes.bigEndianWord(at: 8))
  }

  /// The 16 bytes, most significant first.
  package var bytes: InlineArray<16, UInt8> {
    InlineArray { index in
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> (56 - 8 * UInt64(index & 7)))
    }
  }
}

extension UniversalID: CustomStringConvertible {
  /// The form of 36 characters in lower case.
  package var description: String {
    let bytes = bytes
    var text: [UInt8] = []
    text.reserveCapacity(36)
    for index in bytes.indices {
      if index == 4 || index == 6 || index == 8 || index == 10 {
        text.append(UInt8(ascii: "-"))
      }
      text.append(Hexadecimal.digit(bytes[index] >> 4))
      text.append(Hexadecimal.digit(bytes[index] & 15))
    }
    return String(decoding: text, as: UTF8.self)
  }
}
