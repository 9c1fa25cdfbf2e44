import Domain
import Requirements
import Support
import Testing

@Suite("fiscal codes")
struct FiscalCodeTests {
  static let valid = [
    "RSSMRA80A01H501U", "BNCLRA92D55F205E", "RSSMRA80A41H501Y", "XXXTST90A01Z129L",
    "RSSMRA00B29H501Y",
  ]
  static let omocodia = [
    "RSSMRA80A01H50MM", "RSSMRA80A01H5L1F", "RSSMRA80A01HR01P", "RSSMRA80A01H5LMX",
    "RSSMRA80A0MH501M", "RSSMRAULALMHRLMD",
  ]
  static let impossibleDates = [
    "RSSMRA80A72H501G", "RSSMRA80A00H501V", "RSSMRA80A32H501C", "RSSMRA80A81H501C",
    "RSSMRA81B29H501R",
  ]

  @Test("a valid fiscal code is accepted as written", .tags(.R2), arguments: valid)
  func accepted(_ text: String) throws {
    #expect(try FiscalCode(text).text == text)
  }

  @Test("a fiscal code with omocodia is accepted as written", .tags(.R2), arguments: omocodia)
  func omocodiaAccepted(_ text: String) throws {
    let code = try FiscalCode(text)
    #expect(code.text == text)
    #expect(code.birthPlace == "H501")
    #expect(code.agrees(with: try CalendarDate("1980-01-01"), sex: .male))
  }

  @Test("all 128 subsets of omocodia are accepted and decode the same", .tags(.R2))
  func everySubset() throws {
    let letters = Array("LMNPQRSTUV".utf8)
    let places = [6, 7, 9, 10, 12, 13, 14]
    for subset in 0..<128 {
      var bytes = Array("RSSMRA80A01H501".utf8)
      for (bit, place) in places.enumerated() where subset & 1 << bit != 0 {
        bytes[place] = letters[Int(bytes[place] - 0x30)]
      }
      let accepted = (0..<26).compactMap { letter in
        try? FiscalCode(String(decoding: bytes + [UInt8(65 + letter)], as: UTF8.self))
      }
      #expect(accepted.count == 1)
      #expect(accepted.first?.agrees(with: try CalendarDate("1980-01-01"), sex: .male) == true)
    }
  }

  @Test(
    "noSuchDay: a birth date that exists in no century is rejected", .tags(.R2),
    arguments: impossibleDates)
  func noSuchDay(_ text: String) {
    #expect(throws: FiscalCodeError.noSuchDay) { try FiscalCode(text) }
  }

  @Test(
    "malformed: other lengths and characters are rejected", .tags(.R2),
    arguments: [
      "", "RSSMRA80A01H501", "RSSMRA80A01H501UU", "RSSMRA80F01H501G", "RSSMRA80A01H501é",
      "1SSMRA80A01H501U", "RSSMRAA0A01H501U", "RSSMRA80A01H5011", "RSSMRA80A01H501\u{0}",
      "RSSMRA80A01H50AU",
    ])
  func malformed(_ text: String) {
    #expect(throws: FiscalCodeError.malformed) { try FiscalCode(text) }
  }

  @Test("wrongCheckLetter: each of the 25 other letters is rejected", .tags(.R2))
  func wrongCheckLetter() {
    for letter in "ABCDEFGHIJKLMNOPQRSTVWXYZ" {
      #expect(throws: FiscalCodeError.wrongCheckLetter) {
        try FiscalCode("RSSMRA80A01H501\(letter)")
      }
    }
  }

  @Test("case and separators are ignored", .tags(.R2))
  func separators() throws {
    #expect(try FiscalCode("rss mra 80a01-h501.u").text == "RSSMRA80A01H501U")
  }

  @Test("a code matches its birth date in any century, and its sex only", .tags(.R2))
  func agreement() throws {
    let code = try FiscalCode("BNCLRA92D55F205E")
    #expect(code.sex == .female)
    #expect(code.birthPlace == "F205")
    #expect(code.agrees(with: try CalendarDate("1992-04-15"), sex: .female))
    #expect(code.agrees(with: try CalendarDate("1892-04-15"), sex: .female))
    #expect(!code.agrees(with: try CalendarDate("1992-04-15"), sex: .male))
    #expect(!code.agrees(with: try CalendarDate("1992-04-16"), sex: .female))
    #expect(!code.agrees(with: try CalendarDate("1992-05-15"), sex: .female))
    #expect(!code.agrees(with: try CalendarDate("1993-04-15"), sex: .female))
  }

  @Test("any bytes are rejected or accepted, without a trap")
  func noTrap() {
    var random = SeededRandom()
    let alphabet = Array("RSMAH0158LMNP .-é".utf8)
    for _ in 0..<5000 {
      let bytes = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        alphabet.randomElement(using: &random) ?? 0
      }
      _ = try? FiscalCode(utf8: bytes.span)
    }
  }
}
