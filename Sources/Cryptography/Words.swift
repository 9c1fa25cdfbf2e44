extension Span<UInt8> {
  /// The eight bytes at `offset` as one number, most significant first.
  func bigEndianWord(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in offset..<offset + 8 { word = word << 8 | UInt64(self[index]) }
    return word
  }
}

/// The number's eight bytes, most significant first.
func bigEndianBytes(_ word: UInt64) -> InlineArray<8, UInt8> {
  InlineArray { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
}
