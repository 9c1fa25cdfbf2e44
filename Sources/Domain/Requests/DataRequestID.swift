/// The identifier of a single or group request, a UUID (RFC 9562): `reqID`.
package struct DataRequestID: Hashable, Sendable, CustomStringConvertible {
  /// The first eight bytes, big endian.
  package let high: UInt64
  /// The last eight bytes, big endian.
  package let low: UInt64

  /// Creates a UUID from its sixteen bytes.
  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Creates a UUID of version 4 from 128 random bits, of which six are overwritten.
  package init(random high: UInt64, _ low: UInt64) {
    self.init(
      high: high & 0xFFFF_FFFF_FFFF_0FFF | 0x4000, low: low & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63)
  }

  /// Parses `8-4-4-4-12` hexadecimal digits in either case; nil for anything else.
  package init?(utf8: Span<UInt8>) {
    guard utf8.count == 36 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for index in 0..<36 {
      let byte = utf8[index]
      if index == 8 || index == 13 || index == 18 || index == 23 {
        guard byte == ascii("-") else { return nil }
        continue
      }
      let letter = (byte | 0x20) &- ascii("a")
      guard byte.isDigit || letter < 6 else { return nil }
      let digit = UInt64(byte.isDigit ? byte &- 0x30 : letter + 10)
      if index < 18 { high = high << 4 | digit } else { low = low << 4 | digit }
    }
    self.init(high: high, low: low)
  }

  /// Parses a UUID as `init(utf8:)` does.
  package init?(_ text: String) { self.init(utf8: text.utf8Span.span) }

  /// `8-4-4-4-12` hexadecimal digits in lower case.
  package var description: String {
    let digits = Array("0123456789abcdef".utf8)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(36)
    for index in 0..<32 {
      if index == 8 || index == 12 || index == 16 || index == 20 { bytes.append(ascii("-")) }
      let word = index < 16 ? high : low
      bytes.append(digits[Int(word >> UInt64(60 - index % 16 * 4) & 15)])
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
