/// The VAT number of an Italian company (partita IVA, P.IVA): eleven digits (DPR 633/1972).
package struct VATNumber: Hashable, Sendable, CustomStringConvertible {
  /// The eleven digits.
  package let text: String

  /// Parses a P.IVA, with or without the prefix `IT`, spaces, hyphens, colons and dots.
  ///
  /// Throws `malformed` unless eleven digits remain, `noSuchNumber` for seven zeros, `noSuchOffice`
  /// for an issuing office that never existed, `wrongCheckDigit`.
  package init(utf8: Span<UInt8>) throws(VATNumberError) {
    let digits = try Self.digits(utf8)
    guard digits[0..<7].contains(where: { $0 != 0 }) else { throw .noSuchNumber }
    let office = digits[7] * 100 + digits[8] * 10 + digits[9]
    guard (1...100).contains(office) || [120, 121, 888, 999].contains(office)
    else { throw .noSuchOffice }
    guard Self.checkDigit(digits) == digits[10] else { throw .wrongCheckDigit }
    text = String(decoding: digits.map { UInt8(0x30 + $0) }, as: UTF8.self)
  }

  /// Parses a P.IVA, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(VATNumberError) {
    try self.init(utf8: text.utf8Span.span)
  }

  /// The eleven digits.
  package var description: String { text }

  private static func digits(_ utf8: Span<UInt8>) throws(VATNumberError) -> [Int] {
    guard utf8.count <= 64 else { throw .malformed }
    var kept: [UInt8] = []
    for index in utf8.indices {
      switch utf8[index] {
      case ascii(" "), ascii("-"), ascii(":"), ascii("."): continue
      default: kept.append(utf8[index].uppercased)
      }
    }
    if kept.starts(with: "IT".utf8) { kept.removeFirst(2) }
    guard kept.count == 11, kept.allSatisfy(\.isDigit) else { throw .malformed }
    return kept.map(\.digitValue)
  }

  /// The Luhn check digit of the first ten digits.
  static func checkDigit(_ digits: [Int]) -> Int {
    var sum = 0
    for index in 0..<10 {
      let doubled = digits[index] * 2
      sum += index % 2 == 0 ? digits[index] : doubled > 9 ? doubled - 9 : doubled
    }
    return (10 - sum % 10) % 10
  }
}

/// The reason why a text is not a valid P.IVA.
package enum VATNumberError: DomainError {
  /// Not eleven digits.
  case malformed
  /// The seven digits of the company are all zero.
  case noSuchNumber
  /// The three digits of the office match none.
  case noSuchOffice
  /// The last digit does not match the others.
  case wrongCheckDigit

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed: "A P.IVA has eleven digits."
    case .noSuchNumber: "The first seven digits of a P.IVA are not all zero."
    case .noSuchOffice: "The P.IVA contains the code of an office that does not exist."
    case .wrongCheckDigit: "The last digit of the P.IVA does not match the others."
    }
  }
}
