extension UInt8 {
  /// Whether this byte is `0`–`9`.
  var isDigit: Bool { self &- 0x30 < 10 }

  /// Whether this byte is `A`–`Z` or `a`–`z`.
  var isLetter: Bool { (self | 0x20) &- 0x61 < 26 }

  /// This byte with `a`–`z` converted to `A`–`Z`.
  var uppercased: UInt8 { self &- 0x61 < 26 ? self & 0xDF : self }

  /// This byte with `A`–`Z` converted to `a`–`z`.
  var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }

  /// The digit's value; the byte must be a digit.
  var digitValue: Int { Int(self &- 0x30) }
}

/// The byte of an ASCII character, for readable comparisons.
func ascii(_ character: Unicode.Scalar) -> UInt8 { UInt8(truncatingIfNeeded: character.value) }

extension Span where Element == UInt8 {
  /// The number formed by `count` digits at `start`; nil if one is missing.
  func digits(_ count: Int, at start: Int) -> Int? {
    guard start >= 0, start + count <= self.count else { return nil }
    var value = 0
    for index in start..<(start + count) {
      guard self[index].isDigit else { return nil }
      value = value * 10 + self[index].digitValue
    }
    return value
  }

  /// Whether the byte at `index` exists and is `byte`.
  func has(_ byte: UInt8, at index: Int) -> Bool {
    index >= 0 && index < count && self[index] == byte
  }

  /// Whether these bytes are exactly the UTF-8 of `text`.
  func equals(_ text: String) -> Bool {
    guard text.utf8.count == count else { return false }
    let other = text.utf8Span.span
    for index in 0..<count where other[index] != self[index] { return false }
    return true
  }

  /// The bytes as text, with invalid UTF-8 replaced.
  func makeString() -> String {
    var copy: [UInt8] = []
    copy.reserveCapacity(count)
    for index in indices { copy.append(self[index]) }
    return String(decoding: copy, as: UTF8.self)
  }
}
