// Network byte order, which the binary format uses throughout.

extension FixedWidthInteger {
  /// Appends the bytes of the integer, highest first.
  func appendBigEndian(to bytes: inout [UInt8]) {
    var shift = Self.bitWidth
    while shift > 0 {
      shift -= 8
      bytes.append(UInt8(truncatingIfNeeded: self >> shift))
    }
  }

  /// The integer in the bytes from `offset` on; throws if fewer than its width are left.
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

  /// The integer in exactly these bytes; throws if there are more or fewer.
  static func bigEndian(exactly bytes: Span<UInt8>) throws(PostgresError) -> Self {
    guard bytes.count == bitWidth / 8 else {
      throw .unexpectedResult("a value of \(bytes.count) bytes is no integer of \(bitWidth) bits")
    }
    return try bigEndian(in: bytes)
  }
}
