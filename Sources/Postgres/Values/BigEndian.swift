// Network byte order, used throughout the binary format.

extension FixedWidthInteger {
  /// Appends the bytes of the integer, most significant first.
  func appendBigEndian(to bytes: inout [UInt8]) {
    bytes.append(addingCapacity: Self.bitWidth / 8) { appendBigEndian(to: &$0) }
  }

  /// Appends the bytes of the integer, most significant first, to a span with room for them.
  func appendBigEndian(to output: inout OutputSpan<UInt8>) {
    var shift = Self.bitWidth
    while shift > 0 {
      shift -= 8
      output.append(UInt8(truncatingIfNeeded: self >> shift))
    }
  }

  /// Reads the integer at `offset`; throws if too few bytes are left.
  static func bigEndian(
    in bytes: Span<UInt8>, at offset: Int = 0
  ) throws(PostgresError) -> Self {
    let width = bitWidth / 8
    guard offset >= 0, bytes.count - offset >= width else {
      throw .unexpectedResult("a value is shorter than its type")
    }
    var value: Self = 0
    for index in offset..<offset + width {
      value = value << 8 | Self(truncatingIfNeeded: bytes[index])
    }
    return value
  }

  /// Reads the integer from exactly these bytes; throws if there are more or fewer.
  static func bigEndian(exactly bytes: Span<UInt8>) throws(PostgresError) -> Self {
    guard bytes.count == bitWidth / 8 else {
      throw .unexpectedResult("a value of \(bytes.count) bytes is not a \(bitWidth)-bit integer")
    }
    return try bigEndian(in: bytes)
  }
}
