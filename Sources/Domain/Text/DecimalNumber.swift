/// A decimal number as written: sign, digits and power of ten, by the grammar of JSON (RFC 8259
/// section 6).
///
/// Up to eighteen digits are kept exactly; longer ones are parsed by the standard library.
struct DecimalNumber {
  var isNegative = false
  var digits: UInt64 = 0
  var powerOfTen = 0
  var isExact = true

  /// Parses all of `bytes`; nil if they are not a JSON number.
  init?(_ bytes: Span<UInt8>) {
    var index = 0
    if bytes.has(ascii("-"), at: 0) {
      isNegative = true
      index = 1
    }
    let first = index
    guard readDigits(bytes, &index, scale: 0) else { return nil }
    if bytes[first] == ascii("0"), index > first + 1 { return nil }
    if bytes.has(ascii("."), at: index) {
      index += 1
      guard readDigits(bytes, &index, scale: -1) else { return nil }
    }
    if index < bytes.count, bytes[index] | 0x20 == ascii("e") {
      index += 1
      guard readExponent(bytes, &index) else { return nil }
    }
    guard index == bytes.count else { return nil }
  }

  private mutating func readDigits(_ bytes: Span<UInt8>, _ index: inout Int, scale: Int) -> Bool {
    let start = index
    while index < bytes.count, bytes[index].isDigit {
      if digits < 100_000_000_000_000_000 {
        digits = digits * 10 + UInt64(bytes[index].digitValue)
        powerOfTen += scale
      } else {
        if bytes[index] != ascii("0") { isExact = false }
        powerOfTen += scale + 1
      }
      index += 1
    }
    return index > start
  }

  private mutating func readExponent(_ bytes: Span<UInt8>, _ index: inout Int) -> Bool {
    var sign = 1
    if bytes.has(ascii("-"), at: index) {
      sign = -1
      index += 1
    } else if bytes.has(ascii("+"), at: index) {
      index += 1
    }
    let start = index
    var exponent = 0
    while index < bytes.count, bytes[index].isDigit {
      exponent = min(exponent * 10 + bytes[index].digitValue, 100_000)
      index += 1
    }
    powerOfTen += sign * exponent
    return index > start
  }

  /// The nearest double, if a single correctly rounded operation yields it (Clinger's fast path: at
  /// most 2^53 and at most 22 powers of ten); otherwise nil.
  var fastDouble: Double? {
    guard isExact, digits <= 1 << 53, powerOfTen >= -22, powerOfTen <= 22 else { return nil }
    let scaled =
      powerOfTen < 0
      ? Double(digits) / powersOfTen[-powerOfTen] : Double(digits) * powersOfTen[powerOfTen]
    return isNegative && digits != 0 ? -scaled : scaled
  }
}

extension Double {
  /// The finite double nearest to a JSON number; nil if `bytes` are not one or it is too large.
  init?(decimal bytes: Span<UInt8>) {
    guard bytes.count <= 500, let decimal = DecimalNumber(bytes) else { return nil }
    if let fast = decimal.fastDouble {
      self = fast
      return
    }
    guard let slow = Double(bytes.makeString()), slow.isFinite else { return nil }
    self = slow == 0 ? 0 : slow
  }
}

/// The powers of ten that a double represents exactly.
let powersOfTen: [Double] = [
  1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
  1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
]
