extension Array where Element == UInt8 {
  /// Appends a number in decimal digits; a negative number is written as zero.
  package mutating func append(decimal value: Int) {
    append(decimal: UInt64(Swift.max(0, value)))
  }

  /// Appends a number in decimal digits.
  package mutating func append(decimal value: UInt64) {
    append(addingCapacity: 20) { $0.append(decimal: value) }
  }

  /// Appends a number in hexadecimal digits.
  mutating func append(hexadecimal value: Int) {
    let digits: StaticString = "0123456789abcdef"
    var shift = Swift.max(0, (Int.bitWidth - value.leadingZeroBitCount + 3) / 4 * 4 - 4)
    while shift >= 0 {
      // SAFETY: a value of four bits indexes sixteen digits.
      append(unsafe digits.utf8Start[(value >> shift) & 15])
      shift -= 4
    }
  }
}

extension OutputSpan where Element == UInt8 {
  /// Appends a number in decimal digits; the program stops if there is no room for them.
  package mutating func append(decimal value: UInt64) {
    if value < 10 { return append(UInt8(truncatingIfNeeded: value) + 0x30) }
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = value
    repeat {
      first -= 1
      digits[first] = UInt8(truncatingIfNeeded: rest % 10) + 0x30
      rest /= 10
    } while rest > 0
    append(copying: digits.span.extracting(first..<digits.count))
  }
}

extension Span where Element == UInt8 {
  /// The value of 1 to 19 decimal digits; nil for any other text.
  package var decimal: UInt64? {
    guard count >= 1, count <= 19 else { return nil }
    var value: UInt64 = 0
    for index in indices {
      guard ASCII.isDigit(self[index]) else { return nil }
      value = value * 10 + UInt64(self[index] &- 0x30)
    }
    return value
  }
}
