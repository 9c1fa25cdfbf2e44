/// Checks for well-formed UTF-8 byte sequences (Unicode 15, table 3-7).
enum UTF8Check {
  /// The length of the sequence of two to four bytes at `index`, or nil if it is not well-formed.
  static func length(at index: Int, in bytes: [UInt8], end: Int) -> Int? {
    let lead = bytes[index]
    let second: ClosedRange<UInt8>
    let length: Int
    switch lead {
    case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    default: return nil
    }
    guard index &+ length <= end, second.contains(bytes[index &+ 1]) else { return nil }
    for later in index &+ 2..<index &+ length where bytes[later] & 0xC0 != 0x80 { return nil }
    return length
  }
}
