/// A string in the text, without its quotes, already checked.
struct StringToken {
  var start: Int
  var end: Int
  var hasEscapes: Bool
  var range: Range<Int> { start..<end }
  /// Length in bytes as written, at least the number of characters.
  var count: Int { end &- start }
}

extension JSONReader {
  /// Reads a string.
  package mutating func string() throws(JSONError) -> String {
    try begin(.string, "a string")
    return text(of: try scanString())
  }

  /// Reads a string as UTF-8 bytes, valid only inside `body`, without creating a `String`.
  ///
  /// For values that are parsed immediately: `try reader.stringBytes { Instant(utf8: $0) }`.
  package mutating func stringBytes<Result>(
    _ body: (Span<UInt8>) -> Result
  ) throws(JSONError) -> Result {
    try begin(.string, "a string")
    return use(try scanString(), body)
  }

  /// Reads a string or a number as text; a number is passed as written, such as `72` or `6e-7`.
  ///
  /// The bytes are valid only inside `body`, which also receives the kind.
  package mutating func scalarBytes<Result>(
    _ body: (JSONKind, Span<UInt8>) -> Result
  ) throws(JSONError) -> Result {
    switch try kind() {
    case .string:
      valueStart = position
      return use(try scanString()) { body(.string, $0) }
    case .number:
      valueStart = position
      let token = try scanNumber()
      try checkRange(of: token)
      return body(.number, bytes.span.extracting(token.start..<token.end))
    case .object, .array, .boolean, .null:
      throw failure(.mistyped(expected: "a string or a number"), at: position)
    }
  }

  /// Reads a string or a number.
  package mutating func stringOrNumber() throws(JSONError) -> JSONScalar {
    switch try kind() {
    case .string: .string(try string())
    case .number: .number(try double())
    case .object, .array, .boolean, .null:
      throw failure(.mistyped(expected: "a string or a number"), at: position)
    }
  }

  private func use<Result>(_ token: StringToken, _ body: (Span<UInt8>) -> Result) -> Result {
    guard token.hasEscapes else { return body(bytes.span.extracting(token.range)) }
    let decoded = decode(token)
    return body(decoded.span)
  }

  /// The text of a checked string.
  func text(of token: StringToken) -> String {
    token.hasEscapes
      ? String(decoding: decode(token), as: UTF8.self)
      : String(decoding: bytes[token.range], as: UTF8.self)
  }

  /// Reads a string from quote to quote and checks it.
  mutating func scanString() throws(JSONError) -> StringToken {
    let quote = position
    let start = quote &+ 1
    var index = start
    var hasEscapes = false
    while true {
      index = ByteScan.endOfPlainText(in: bytes, from: index, to: end)
      guard index < end else { throw failure(.endsTooEarly, at: end) }
      let byte = bytes[index]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        index = try endOfEscape(at: index)
      } else if byte < 0x20 {
        throw failure(byte == 0 ? .nulCharacter : .controlCharacter, at: index)
      } else {
        guard let length = UTF8Check.length(at: index, in: bytes, end: end) else {
          throw failure(.brokenUTF8, at: index)
        }
        index &+= length
      }
    }
    guard index &- start <= limits.stringBytesMax else {
      throw failure(.stringTooLong(bytesMax: limits.stringBytesMax), at: quote)
    }
    position = index &+ 1
    return StringToken(start: start, end: index, hasEscapes: hasEscapes)
  }

  private func endOfEscape(at index: Int) throws(JSONError) -> Int {
    guard index + 1 < end else { throw failure(.endsTooEarly, at: end) }
    switch bytes[index + 1] {
    case 0x22, 0x2F, 0x5C, 0x62, 0x66, 0x6E, 0x72, 0x74: return index + 2
    case UInt8(ascii: "u"): break
    default: throw failure(.badEscape, at: index)
    }
    guard index + 6 <= end else { throw failure(.endsTooEarly, at: end) }
    guard let unit = hexadecimal(at: index + 2) else { throw failure(.badEscape, at: index) }
    switch unit {
    case 0: throw failure(.nulCharacter, at: index)
    case 0xD800...0xDBFF:
      guard index + 12 <= end, bytes[index + 6] == 0x5C, bytes[index + 7] == UInt8(ascii: "u"),
        let low = hexadecimal(at: index + 8), (0xDC00...0xDFFF).contains(low)
      else { throw failure(.loneSurrogate, at: index) }
      return index + 12
    case 0xDC00...0xDFFF: throw failure(.loneSurrogate, at: index)
    default: return index + 6
    }
  }

  /// The four hexadecimal digits at `index`, or nil.
  private func hexadecimal(at index: Int) -> UInt32? {
    var value: UInt32 = 0
    for byte in bytes[index..<index + 4] {
      switch byte {
      case 0x30...0x39: value = value << 4 | UInt32(byte - 0x30)
      case 0x41...0x46: value = value << 4 | UInt32(byte - 0x41 + 10)
      case 0x61...0x66: value = value << 4 | UInt32(byte - 0x61 + 10)
      default: return nil
      }
    }
    return value
  }

  /// The bytes of a checked string with escapes decoded.
  func decode(_ token: StringToken) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(token.count)
    var index = token.start
    while index < token.end {
      guard bytes[index] == 0x5C else {
        result.append(bytes[index])
        index += 1
        continue
      }
      index = decodeEscape(at: index, into: &result)
    }
    return result
  }

  private func decodeEscape(at index: Int, into result: inout [UInt8]) -> Int {
    switch bytes[index + 1] {
    case UInt8(ascii: "b"): result.append(0x08)
    case UInt8(ascii: "f"): result.append(0x0C)
    case UInt8(ascii: "n"): result.append(0x0A)
    case UInt8(ascii: "r"): result.append(0x0D)
    case UInt8(ascii: "t"): result.append(0x09)
    case UInt8(ascii: "u"):
      var scalar = hexadecimal(at: index + 2) ?? 0xFFFD
      let isPair = (0xD800...0xDBFF).contains(scalar)
      if isPair, let low = hexadecimal(at: index + 8) {
        scalar = 0x10000 + (scalar - 0xD800) << 10 + (low - 0xDC00)
      }
      result.append(contentsOf: String(UnicodeScalar(scalar) ?? "\u{FFFD}").utf8)
      return index + (isPair ? 12 : 6)
    default: result.append(bytes[index + 1])
    }
    return index + 2
  }
}
