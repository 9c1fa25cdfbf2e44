/// Scans bytes, eight at a time; the only reads through pointers in this module.
enum ByteScan {
  private static let ones: UInt64 = 0x0101_0101_0101_0101
  private static let highs: UInt64 = 0x8080_8080_8080_8080

  /// The first index in `start..<end` of a quote, a backslash, a control character or a non-ASCII
  /// byte; `end` if there is none.
  ///
  /// The comparison of whole words is "has less / has zero byte" of Hacker's Delight, chapter 6: a
  /// borrow can only produce false marks above the first true one, and only the first is used.
  static func endOfPlainText(in bytes: [UInt8], from start: Int, to end: Int) -> Int {
    unsafe bytes.withUnsafeBytes { buffer in
      let stop = min(end, buffer.count)
      var index = max(start, 0)
      while index &+ 8 <= stop {
        // SAFETY: index >= 0 and index + 8 <= stop <= buffer.count, so all eight bytes exist.
        let word = UInt64(
          littleEndian: unsafe buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self))
        let hits = special(word) | (word & highs)
        if hits != 0 { return index &+ hits.trailingZeroBitCount / 8 }
        index &+= 8
      }
      while index < stop {
        // SAFETY: 0 <= index < stop <= buffer.count.
        let byte = unsafe buffer[index]
        if byte == 0x22 || byte == 0x5C || byte < 0x20 || byte >= 0x80 { return index }
        index &+= 1
      }
      return max(index, start)
    }
  }

  /// Sets the top bit of each byte that is a quote, a backslash or a control character.
  private static func special(_ word: UInt64) -> UInt64 {
    let quote = word ^ (ones &* 0x22)
    let backslash = word ^ (ones &* 0x5C)
    let isQuote = (quote &- ones) & ~quote
    let isBackslash = (backslash &- ones) & ~backslash
    let isControl = (word &- (ones &* 0x20)) & ~word
    return (isQuote | isBackslash | isControl) & highs
  }

  /// Appends a text to a buffer with quotes, backslashes and control characters escaped.
  static func appendEscaped(_ text: String, to bytes: inout [UInt8]) {
    var text = text
    text.withUTF8 { buffer in
      var run = 0
      var index = 0
      while index < buffer.count {
        // SAFETY: 0 <= index < buffer.count.
        let byte = unsafe buffer[index]
        if byte >= 0x20, byte != 0x22, byte != 0x5C {
          index &+= 1
          continue
        }
        // SAFETY: 0 <= run <= index < buffer.count; append copies while the buffer is valid.
        unsafe bytes.append(contentsOf: buffer[run..<index])
        appendEscape(byte, to: &bytes)
        index &+= 1
        run = index
      }
      // SAFETY: see above; run <= buffer.count.
      unsafe bytes.append(contentsOf: buffer[run..<buffer.count])
    }
  }

  private static func appendEscape(_ byte: UInt8, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x22, 0x5C: bytes.append(byte)
    case 0x08: bytes.append(UInt8(ascii: "b"))
    case 0x09: bytes.append(UInt8(ascii: "t"))
    case 0x0A: bytes.append(UInt8(ascii: "n"))
    case 0x0C: bytes.append(UInt8(ascii: "f"))
    case 0x0D: bytes.append(UInt8(ascii: "r"))
    default:
      let digits: StaticString = "0123456789abcdef"
      bytes.append(contentsOf: [UInt8(ascii: "u"), 0x30, 0x30])
      // SAFETY: both indices are below 16, the length of `digits`.
      unsafe bytes.append(digits.utf8Start[Int(byte >> 4)])
      unsafe bytes.append(digits.utf8Start[Int(byte & 15)])
    }
  }

  /// Whether a text has exactly the bytes of a literal.
  static func isEqual(_ text: String, to literal: StaticString) -> Bool {
    guard literal.hasPointerRepresentation, text.utf8.count == literal.utf8CodeUnitCount else {
      return false
    }
    // SAFETY: the literal has a pointer representation (checked) and lives for ever.
    return unsafe text.utf8.elementsEqual(
      UnsafeBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
  }
}
