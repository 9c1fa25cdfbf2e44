/// A person's Italian fiscal code (codice fiscale, DM 23-12-1976), as written.
///
/// Sixteen capital letters and digits with a correct check letter and an existing birth date.
/// Letters in place of digits (omocodia) are accepted at any of the seven positions, and two
/// spellings of one code count as two codes. A fiscal code identifies a person: printing the value
/// shows nothing, `text` does.
package struct FiscalCode: Hashable, Sendable, Redacted {
  /// The sixteen characters, in upper case.
  package let text: String

  /// The sex stated by the code.
  package let sex: Sex

  /// The last two digits of the birth year, 0–99.
  package let birthYearOfCentury: Int

  /// The birth month, 1–12.
  package let birthMonth: Int

  /// The day of the birth month, 1–31.
  package let birthDay: Int

  /// The cadastral code of the birth place with its digits decoded, such as `H501`; `Z` and three
  /// digits are a foreign country.
  package let birthPlace: String

  /// Parses a fiscal code in any case, with spaces, dots or hyphens between its parts.
  ///
  /// Throws `malformed` for a wrong length or character, `wrongCheckLetter`, and `noSuchDay` for a
  /// birth date that exists in no century.
  package init(utf8: Span<UInt8>) throws(FiscalCodeError) {
    let written = try Self.written(utf8)
    let decoded = try Self.decoded(written)
    guard Self.checkLetter(written) == written[15] else { throw .wrongCheckLetter }
    guard let month = Self.months.firstIndex(of: written[8]) else { throw .malformed }
    let year = decoded[6] * 10 + decoded[7]
    let dayNumber = decoded[9] * 10 + decoded[10]
    let day = dayNumber > 40 ? dayNumber - 40 : dayNumber
    // Years 00 to 99 of any century: 29 February exists if the number is a multiple of four.
    guard day >= 1, day <= CalendarDate.days(inMonth: month + 1, year: 2000 + year)
    else { throw .noSuchDay }
    text = String(decoding: written, as: UTF8.self)
    sex = dayNumber > 40 ? .female : .male
    birthYearOfCentury = year
    birthMonth = month + 1
    birthDay = day
    birthPlace = String(
      decoding: [written[11]] + decoded[12..<15].map { UInt8(0x30 + $0) }, as: UTF8.self)
  }

  /// Parses a fiscal code, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(FiscalCodeError) {
    try self.init(utf8: text.utf8Span.span)
  }

  /// Whether the code matches this birth date, except for the century, and this sex (R2).
  package func agrees(with birthDate: CalendarDate, sex: Sex) -> Bool {
    let (year, month, day) = birthDate.components
    return self.sex == sex && year % 100 == birthYearOfCentury && month == birthMonth
      && day == birthDay
  }

  /// Removes separators; the result is exactly sixteen capital letters and digits.
  private static func written(_ utf8: Span<UInt8>) throws(FiscalCodeError) -> [UInt8] {
    guard utf8.count <= 64 else { throw .malformed }
    var written: [UInt8] = []
    written.reserveCapacity(16)
    for index in utf8.indices {
      let byte = utf8[index]
      if byte == ascii(" ") || byte == ascii("-") || byte == ascii(".") { continue }
      guard byte.isDigit || byte.isLetter else { throw .malformed }
      written.append(byte.uppercased)
    }
    guard written.count == 16 else { throw .malformed }
    return written
  }

  /// The value of each digit, with omocodia reversed; 0 at the positions of letters.
  private static func decoded(_ written: [UInt8]) throws(FiscalCodeError) -> [Int] {
    var decoded = [Int](repeating: 0, count: 16)
    for (index, byte) in written.enumerated() {
      switch index {
      case 6, 7, 9, 10, 12, 13, 14:
        if byte.isDigit {
          decoded[index] = byte.digitValue
        } else if let digit = omocodia.firstIndex(of: byte) {
          decoded[index] = digit
        } else {
          throw .malformed
        }
      default:
        guard byte.isLetter else { throw .malformed }
      }
    }
    return decoded
  }

  /// The check letter of the first fifteen characters as written: capital letters and digits.
  package static func checkLetter(_ written: [UInt8]) -> UInt8 {
    var sum = 0
    for index in 0..<15 {
      let byte = written[index]
      let value = byte.isDigit ? byte.digitValue : Int(byte &- ascii("A"))
      sum += index % 2 == 0 ? oddValues[value] : value
    }
    return ascii("A") + UInt8(sum % 26)
  }

  private static let months = Array("ABCDEHLMPRST".utf8)

  /// The letters that replace the digits in omocodia.
  static let omocodia = Array("LMNPQRSTUV".utf8)

  /// The value of a character at an odd position; a digit has the value of the letter with its
  /// number.
  private static let oddValues = [
    1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
  ]
}

/// The reason why a text is not a valid fiscal code. Never contains the text.
package enum FiscalCodeError: DomainError {
  /// Not sixteen characters of the right kinds.
  case malformed
  /// The last letter does not match the others.
  case wrongCheckLetter
  /// The encoded birth date exists in no century.
  case noSuchDay

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed: "A fiscal code has sixteen letters and digits, such as RSSMRA80A01H501U."
    case .wrongCheckLetter: "The last letter of the fiscal code does not match the others."
    case .noSuchDay: "The birth date in the fiscal code does not exist."
    }
  }
}
