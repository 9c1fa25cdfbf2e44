extension FixedWidthInteger {
  /// The number in these bytes, most significant first; of more bytes than its width, the last ones
  /// count.
  @inlinable public init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// The bytes of the number, the most significant first.
  @inlinable public var bigEndianBytes: [UInt8] {
    stride(from: Self.bitWidth - 8, through: 0, by: -8).map {
      UInt8(truncatingIfNeeded: self >> $0)
    }
  }
}

extension Span<UInt8> {
  /// The eight bytes at `offset` as one number, most significant first.
  @inlinable public func bigEndianWord(at offset: Int) -> UInt64 {
    var word: UInt64 = 0
    for index in offset..<offset + 8 { word = word << 8 | UInt64(self[index]) }
    return word
  }
}

extension OutputSpan<UInt8> {
  /// Appends the number's eight bytes, most significant first; the program stops if there is no
  /// room for them.
  @inlinable public mutating func append(bigEndian word: UInt64) {
    // SAFETY: the room for eight bytes is checked, and the buffer is used only in the closure.
    unsafe withUnsafeMutableBufferPointer { room, count in
      guard let start = room.baseAddress else { preconditionFailure("there is no room") }
      precondition(room.count - count >= 8, "there is no room for eight bytes")
      unsafe UnsafeMutableRawPointer(start + count).storeBytes(
        of: word.bigEndian, as: UInt64.self)
      count += 8
    }
  }
}

/// The number's eight bytes, most significant first.
@inlinable public func bigEndianBytes(_ word: UInt64) -> InlineArray<8, UInt8> {
  InlineArray { UInt8(truncatingIfNeeded: word >> (56 - 8 * UInt64($0))) }
}
