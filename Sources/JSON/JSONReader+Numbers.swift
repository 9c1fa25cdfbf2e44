/// A number in the text, already checked against the grammar.
struct NumberToken {
  var start: Int
  var end: Int
  var isNegative = false
  /// The first 19 significant digits as a whole number.
  var mantissa: UInt64 = 0
  /// The decimal exponent of `mantissa`.
  var exponent = 0
  /// Number of digits in `mantissa`, without leading zeros.
  var digits = 0
  /// Whether `mantissa` lacks digits beyond the nineteenth.
  var isCut = false
  /// Whether the number has neither a fraction nor an exponent.
  var isPlain = true
}

extension JSONReader {
  /// Reads a number.
  package mutating func double() throws(JSONError) -> Double {
    try begin(.number, "a number")
    return try value(of: try scanNumber())
  }

  /// Reads a whole number; `5.0` and `5e2` are whole too (JSON Schema 2020-12, section 6.1.1).
  ///
  /// A number with a fraction or exponent must be at most 2^53, the limit up to which floating
  /// point represents every whole number exactly.
  package mutating func integer() throws(JSONError) -> Int {
    try begin(.number, "a whole number")
    return try whole(of: try scanNumber())
  }

  /// Reads `true` or `false`.
  package mutating func boolean() throws(JSONError) -> Bool {
    try begin(.boolean, "true or false")
    let value = bytes[position] == UInt8(ascii: "t")
    try word(value ? "true" : "false")
    return value
  }

  /// Whether the next value is `null`; consumes it if so.
  package mutating func null() throws(JSONError) -> Bool {
    guard try kind() == .null else { return false }
    valueStart = position
    try word("null")
    return true
  }

  /// Whether the next value is `null` or an empty string; consumes it if so. For clients that send
  /// every field of a body.
  package mutating func nullOrEmptyString() throws(JSONError) -> Bool {
    guard try kind() == .string else { return try null() }
    let quote = UInt8(ascii: "\"")
    guard position &+ 1 < end, bytes[position &+ 1] == quote else { return false }
    valueStart = position
    position &+= 2
    return true
  }

  private mutating func word(_ word: String) throws(JSONError) {
    for expected in word.utf8 {
      guard position < end else { throw failure(.endsTooEarly, at: end) }
      guard bytes[position] == expected else {
        throw failure(.unexpected(expected: word), at: valueStart)
      }
      position &+= 1
    }
  }

  /// Reads a number's digits, fraction and exponent.
  mutating func scanNumber() throws(JSONError) -> NumberToken {
    var token = NumberToken(start: position, end: position)
    if bytes[position] == UInt8(ascii: "-") {
      token.isNegative = true
      position &+= 1
    }
    let hasLeadingZero = position < end && bytes[position] == UInt8(ascii: "0")
    let count = try scanDigits(into: &token, isFraction: false)
    guard !hasLeadingZero || count == 1 else { throw failure(.malformedNumber, at: token.start) }
    if position < end, bytes[position] == UInt8(ascii: ".") {
      position &+= 1
      token.isPlain = false
      _ = try scanDigits(into: &token, isFraction: true)
    }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position &+= 1
      token.isPlain = false
      try scanExponent(into: &token)
    }
    token.end = position
    guard token.end &- token.start <= limits.numberBytesMax else {
      throw failure(.numberTooLong(bytesMax: limits.numberBytesMax), at: token.start)
    }
    return token
  }

  private mutating func scanDigits(
    into token: inout NumberToken, isFraction: Bool
  ) throws(JSONError) -> Int {
    let first = position
    while position < end {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      position &+= 1
      if token.digits < 19 {
        token.mantissa = token.mantissa &* 10 &+ UInt64(digit)
        if token.mantissa != 0 { token.digits &+= 1 }
        if isFraction { token.exponent &-= 1 }
      } else {
        token.isCut = true
        if !isFraction { token.exponent &+= 1 }
      }
    }
    guard position > first else {
      let reason: JSONError.Reason = position == end ? .endsTooEarly : .malformedNumber
      throw failure(reason, at: position == end ? end : token.start)
    }
    return position &- first
  }

  private mutating func scanExponent(into token: inout NumberToken) throws(JSONError) {
    var isNegative = false
    if position < end, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+")
    {
      isNegative = bytes[position] == UInt8(ascii: "-")
      position &+= 1
    }
    let first = position
    var exponent = 0
    while position < end {
      let digit = bytes[position] &- UInt8(ascii: "0")
      guard digit < 10 else { break }
      position &+= 1
      if exponent < 1_000_000 { exponent = exponent &* 10 &+ Int(digit) }
    }
    guard position > first else {
      let reason: JSONError.Reason = position == end ? .endsTooEarly : .malformedNumber
      throw failure(reason, at: position == end ? end : token.start)
    }
    token.exponent &+= isNegative ? -exponent : exponent
  }

  /// The value, rounded to the nearest floating-point number.
  func value(of token: NumberToken) throws(JSONError) -> Double {
    // Both operands are exact, so the single operation rounds once (Clinger, PLDI 1990).
    if !token.isCut, token.mantissa <= 1 << 53, abs(token.exponent) <= 22 {
      let power = Self.powersOfTen[abs(token.exponent)]
      let mantissa = Double(token.mantissa)
      let value = token.exponent < 0 ? mantissa / power : mantissa * power
      return token.isNegative ? -value : value
    }
    let text = String(decoding: bytes[token.start..<token.end], as: UTF8.self)
    guard let value = Double(text), value.isFinite else {
      throw failure(.numberOutOfRange, at: token.start)
    }
    return value
  }

  /// The value of a token as a whole number.
  func whole(of token: NumberToken) throws(JSONError) -> Int {
    if token.isPlain, !token.isCut {
      if !token.isNegative, let value = Int(exactly: token.mantissa) { return value }
      if token.isNegative, token.mantissa <= UInt64(Int.max) { return -Int(token.mantissa) }
      if token.isNegative, token.mantissa == UInt64(Int.max) + 1 { return Int.min }
    }
    // Above 2^53 every floating-point number is whole, but may differ from the number written.
    let value = try value(of: token)
    guard !token.isPlain, abs(value) <= 0x1p53 else {
      throw failure(.integerOutOfRange, at: token.start)
    }
    let whole = Int(value)
    guard Double(whole) == value else {
      throw failure(.mistyped(expected: "a whole number"), at: token.start)
    }
    return whole
  }

  /// Refuses a number beyond the range of floating point.
  func checkRange(of token: NumberToken) throws(JSONError) {
    // Numbers below 10^300 are always in range; only larger ones are converted.
    if token.digits + token.exponent > 300 { _ = try value(of: token) }
  }

  private static let powersOfTen: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
  ]
}
