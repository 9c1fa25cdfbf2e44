/// Reads numbers from a file, the most significant byte first, and never beyond its end.
struct ByteSource {
  private let bytes: [UInt8]
  /// Where the next byte is read.
  private(set) var offset: Int

  /// A source at the given place of a file.
  init(_ bytes: [UInt8], from offset: Int = 0) {
    self.bytes = bytes
    self.offset = offset
  }

  /// How many bytes are left.
  var count: Int { bytes.count - offset }

  /// The next byte without stepping over it; nil at the end.
  var peek: UInt8? { offset < bytes.count ? bytes[offset] : nil }

  /// The next byte; nil at the end.
  mutating func byte() -> UInt8? {
    guard let byte = peek else { return nil }
    offset += 1
    return byte
  }

  /// Steps back over the byte that was just read.
  mutating func stepBack() { offset -= 1 }

  /// The next number of two bytes; nil if they are not there.
  mutating func number16() -> Int? {
    guard let part = take(2) else { return nil }
    return part.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The next number of four bytes; nil if they are not there.
  mutating func number32() -> Int? {
    guard let part = take(4) else { return nil }
    return part.reduce(0) { $0 << 8 | Int($1) }
  }

  /// The next bytes; nil if there are fewer.
  mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, self.count >= count else { return nil }
    defer { offset += count }
    return bytes[offset..<offset + count]
  }
}
