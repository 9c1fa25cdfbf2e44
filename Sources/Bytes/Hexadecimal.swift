/// Lower-case hexadecimal text, as in key files and identifiers.
public enum Hexadecimal {
  /// Two digits for each byte.
  package static func encode(_ bytes: Span<UInt8>) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(2 * bytes.count)
    append(bytes, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// Appends two digits for each byte.
  package static func append(_ bytes: Span<UInt8>, to text: inout [UInt8]) {
    text.append(addingCapacity: 2 * bytes.count) { output in
      for index in bytes.indices {
        output.append(digit(bytes[index] >> 4))
        output.append(digit(bytes[index] & 15))
      }
    }
  }

  /// The eight digits of a number, the first one in the most significant byte; computed for all of
  /// them at once.
  @inlinable public static func digits(_ value: UInt32) -> UInt64 {
    var nibbles = UInt64(value)
    nibbles = (nibbles << 16 | nibbles) & 0x0000_FFFF_0000_FFFF
    nibbles = (nibbles << 8 | nibbles) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles << 4 | nibbles) & 0x0F0F_0F0F_0F0F_0F0F
    // The bytes from 10 on become letters.
    let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
  }

  /// The number of eight digits, the first one in the most significant byte; nil if one of them is
  /// not a lower-case digit. Computed for all of them at once.
  @inlinable public static func value(digits: UInt64) -> UInt32? {
    let lanes: UInt64 = 0x0101_0101_0101_0101
    let tops = lanes << 7
    guard digits & tops == 0 else { return nil }
    // The top bit of each byte tells whether it is at least `first`.
    func reaching(_ first: UInt8) -> UInt64 { digits &+ lanes &* UInt64(0x80 - first) }
    let figures = reaching(0x30) & ~reaching(0x3A)
    let letters = reaching(0x61) & ~reaching(0x67)
    guard (figures | letters) & tops == tops else { return nil }
    var nibbles = (digits & (lanes &* 0x0F)) &+ (letters & tops) >> 7 &* 9
    nibbles = (nibbles | nibbles >> 4) & 0x00FF_00FF_00FF_00FF
    nibbles = (nibbles | nibbles >> 8) & 0x0000_FFFF_0000_FFFF
    return UInt32(truncatingIfNeeded: nibbles | nibbles >> 16)
  }

  /// Decodes the text; nil for an odd length, or for anything but lower-case digits.
  ///
  /// All digits are checked before any is decoded: a malformed secret leaves no copy.
  package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    for index in text.indices where value(text[index]) == nil { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    for index in 0..<text.count / 2 {
      guard let high = value(text[2 * index]), let low = value(text[2 * index + 1]) else {
        return nil
      }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  /// The digit of a value from 0 to 15.
  @inlinable public static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value + UInt8(ascii: "0") : value - 10 + UInt8(ascii: "a")
  }

  /// The value of a lower-case digit; nil for another byte.
  @inlinable public static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
