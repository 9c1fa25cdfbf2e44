extension [UInt8] {
  /// Appends a number in groups of seven bits, lowest first (LEB128): 1 to 10 bytes.
  mutating func append(variable value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends a signed number, small magnitudes in few bytes (zigzag).
  mutating func append(zigzag value: Int64) {
    append(variable: UInt64(bitPattern: value << 1 ^ value >> 63))
  }

  /// Appends the eight bytes of a number, lowest first.
  mutating func append(fixed value: UInt64) {
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}

/// A read position in bytes; every read is bounds-checked.
struct BlockCursor {
  var index = 0

  mutating func byte(_ bytes: Span<UInt8>) throws(SampleBlockError) -> UInt8 {
    guard index < bytes.count else { throw .corrupt }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func variable(_ bytes: Span<UInt8>) throws(SampleBlockError) -> UInt64 {
    guard index < bytes.count else { throw .corrupt }
    let first = bytes[index]
    index += 1
    if first < 0x80 { return UInt64(first) }
    var value = UInt64(first & 0x7F)
    var shift: UInt64 = 7
    while true {
      let next = try byte(bytes)
      // The tenth byte may have only one bit.
      guard shift < 63 || next <= 1 else { throw .corrupt }
      value |= UInt64(next & 0x7F) << shift
      if next < 0x80 { return value }
      shift += 7
    }
  }

  mutating func zigzag(_ bytes: Span<UInt8>) throws(SampleBlockError) -> Int64 {
    let value = try variable(bytes)
    return Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }

  mutating func fixed(_ bytes: Span<UInt8>) throws(SampleBlockError) -> UInt64 {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 8) {
      value |= UInt64(try byte(bytes)) << shift
    }
    return value
  }

  /// Reads a count of elements, checked against the bytes left at `bytesEach` or more per element.
  mutating func count(
    _ bytes: Span<UInt8>, bytesEach: Int
  ) throws(SampleBlockError) -> Int {
    let count = try variable(bytes)
    guard count <= UInt64((bytes.count - index) / bytesEach) else { throw .corrupt }
    return Int(count)
  }
}
