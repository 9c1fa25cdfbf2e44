/// Reads big-endian numbers from a file, with bounds checks.
struct ByteSource {
  private let bytes: [UInt8]
  /// The offset of the next byte.
  private(set) var offset: Int

  /// A source that starts at an offset of a file.
  init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// Number of bytes left.
  var count: Int { bytes.count - offset }

  /// The next byte without consuming it; nil at the end.
  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// Reads a byte; nil at the end.
  mutating func byte() -> UInt8? {
    guard let byte = peek else { return nil }
    offset += 1
    return byte
  }

  /// Moves back over the byte read last.
  mutating func stepBack() { offset -= 1 }

  /// Reads a number of two bytes; nil if they are missing.
  mutating func number16() -> Int? {
    guard let part = take(2) else { return nil }
    return part.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads a number of four bytes; nil if they are missing.
  mutating func number32() -> Int? {
    guard let part = take(4) else { return nil }
    return part.reduce(0) { $0 << 8 | Int($1) }
  }

  /// Reads `count` bytes; nil if there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, self.count >= count else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
