import Domain
import Requirements
import Testing

@Suite("accounts")
struct AccountTests {
  @Test(
    "a valid P.IVA is accepted", .tags(.R3),
    arguments: ["00743110157", "07643520567", "12345670157"])
  func validVATNumber(_ text: String) throws {
    #expect(try VATNumber(text).text == text)
  }

  @Test("a P.IVA may carry its country, spaces, hyphens, colons and dots", .tags(.R3))
  func separators() throws {
    #expect(try VATNumber("IT 007-431.101:57").text == "00743110157")
    #expect(try VATNumber("it00743110157").text == "00743110157")
  }

  @Test("every documented error of a P.IVA", .tags(.R3))
  func vatNumberErrors() {
    #expect(throws: VATNumberError.noSuchNumber) { try VATNumber("00000000000") }
    #expect(throws: VATNumberError.wrongCheckDigit) { try VATNumber("00743110158") }
    #expect(throws: VATNumberError.noSuchOffice) { try VATNumber("00743110007") }
    #expect(throws: VATNumberError.noSuchOffice) { try VATNumber("00743111017") }
    for text in ["", "0074311015", "007431101577", "0074311O157", "FR00743110157", "ITIT743110157"]
    {
      #expect(throws: VATNumberError.malformed) { try VATNumber(text) }
    }
  }

  @Test("offices 100, 120, 121, 888 and 999 exist, 101 and 122 do not", .tags(.R3))
  func offices() {
    func accepted(_ office: String) -> Bool {
      (0..<10).contains { (try? VATNumber("1234567\(office)\($0)")) != nil }
    }
    for office in ["001", "100", "120", "121", "888", "999"] { #expect(accepted(office)) }
    for office in ["000", "101", "119", "122", "887", "998"] { #expect(!accepted(office)) }
  }

  @Test("email addresses are compared without regard to case", .tags(.R4))
  func emailCase() throws {
    let email = try EmailAddress("Mario.Rossi+Run@Example.ORG")
    #expect(email.text == "mario.rossi+run@example.org")
    #expect(try EmailAddress("mario.rossi+run@example.org") == email)
  }

  @Test(
    "malformed: a text that is not an email address is rejected", .tags(.R4),
    arguments: [
      "", "@", "a@", "@b.it", "a@b", "a.b.it", "a@@b.it", "a@b@c.it", ".a@b.it", "a.@b.it",
      "a..b@c.it", "a b@c.it", "a@b..it", "a@-b.it", "a@b-.it", "a@b.it\r\nBcc: c@d.it",
      "a@b.it\n", "\"a\"@b.it", "a@[127.0.0.1]", "a@127.0.0.1", "é@b.it", "a@bé.it",
      "a\u{0}@b.it", " a@b.it", "<a@b.it>",
    ])
  func malformedEmail(_ text: String) {
    #expect(throws: EmailAddressError.malformed) { try EmailAddress(text) }
  }

  @Test("an email address has at most 254 characters, 64 of them before the @", .tags(.R4))
  func emailLengths() throws {
    let label = String(repeating: "b", count: 63)
    let host = "\(label).\(label).\(String(repeating: "c", count: 58)).it"
    let local = String(repeating: "a", count: 64)
    #expect(try EmailAddress("\(local)@\(host)").text.utf8.count == 254)
    #expect(throws: EmailAddressError.tooLong) { try EmailAddress("\(local)@\(host)a") }
    #expect(throws: EmailAddressError.malformed) { try EmailAddress("\(local)a@b.it") }
    #expect(throws: EmailAddressError.malformed) { try EmailAddress("a@\(label)b.it") }
  }

  @Test("a password of 8 and of 128 characters is accepted, 7 and 129 are not", .tags(.R4))
  func passwordLengths() throws {
    func text(_ count: Int) -> String { String("pq9à!xZ w".cycled(count)) }
    #expect(try Password(text(8)).text == text(8))
    #expect(try Password(text(128)).text == text(128))
    #expect(throws: PasswordError.tooShort) { try Password(text(7)) }
    #expect(throws: PasswordError.tooLong) { try Password(text(129)) }
  }

  @Test(
    "tooCommon: known bad passwords are rejected", .tags(.R4),
    arguments: [
      "password", "PassWord1", "12345678", "87654321", "aaaaaaaa", "abcdefghij", "juventus",
      "qwertyuiop", "ciaociao", "trackme123",
    ])
  func commonPassword(_ text: String) {
    #expect(throws: PasswordError.tooCommon) { try Password(text) }
  }

  @Test(
    "names of people are compared without case, accents, spaces and punctuation", .tags(.RUN_7),
    arguments: [
      "  Niccolò  D'Àngelo ", "NICCOLO DANGELO", "niccolo\u{300} d\u{2019}angelo",
      "Niccolo-d'Angelo",
    ])
  func comparedNames(_ text: String) {
    #expect(FullName.searchText(of: text) == "niccolodangelo")
    #expect(FullName.searchText(of: text + " 2") != "niccolodangelo")
  }

  @Test("a name is trimmed, has a letter, one line and at most 200 characters")
  func names() throws {
    #expect(try FullName("  Zoë O\u{2019}Brien-Smith ").text == "Zoë O\u{2019}Brien-Smith")
    #expect(try FullName(String(repeating: "a", count: 200)).text.count == 200)
    #expect(throws: NameError.tooLong) { try FullName(String(repeating: "a", count: 201)) }
    #expect(throws: NameError.empty) { try FullName(" - ") }
    #expect(throws: NameError.empty) { try FullName("") }
    for text in ["a\nb", "a\u{0}b", "a\u{202E}b", "a\u{2028}b", "a\u{7F}"] {
      #expect(throws: NameError.controlCharacter) { try FullName(text) }
    }
  }

  @Test(
    "names that differ only in case, spaces, accents and legal form are equal", .tags(.ACC_12),
    arguments: [
      "ACME", "acme s.r.l.", "Acme S. r. l.", "A.C.M.E. Srl", "acmé SPA",
      "Acme S.r.l. a socio unico",
      "Acme, Società a Responsabilità Limitata", "acme Società per Azioni in liquidazione",
      "A C M E", "Acme-SRLS", "ac me",
    ])
  func sameCompany(_ text: String) throws {
    #expect(try CompanyName(text).normalised == "acme")
  }

  @Test("different names stay different, and a legal form alone is a name", .tags(.ACC_12))
  func otherCompanies() throws {
    #expect(try CompanyName("Acme Due S.r.l.").normalised == "acmedue")
    #expect(try CompanyName("Spa Terme S.p.A.").normalised == "spaterme")
    #expect(try CompanyName("S.p.A.").normalised == "spa")
    #expect(try CompanyName("3M Italia").normalised == "3mitalia")
    #expect(try CompanyName("Deleted Accounts").normalised == "deletedaccounts")
  }

  @Test("a company name that resembles the name of deleted accounts is rejected", .tags(.ACC_12))
  func reserved() {
    for text in [
      "deleted account", "Deleted Account S.r.l.", "DELETED-ACCOUNT", "Delet\u{435}d accoùnt",
      "dele\u{163}ed account",
    ] {
      #expect(throws: CompanyNameError.reserved, "\(text)") { try CompanyName(text) }
    }
    #expect(CompanyName.ofDeletedAccounts == "deleted account")
  }

  @Test("under the age of 14 a parent is needed, from the 14th birthday no longer", .tags(.ACC_13))
  func needsParent() throws {
    let birth = BirthDate(stored: try CalendarDate("2012-03-15"))
    #expect(birth.needsParent(on: try CalendarDate("2026-03-14")))
    #expect(!birth.needsParent(on: try CalendarDate("2026-03-15")))
    let leap = BirthDate(stored: try CalendarDate("2012-02-29"))
    #expect(leap.needsParent(on: try CalendarDate("2026-02-28")))
    #expect(!leap.needsParent(on: try CalendarDate("2026-03-01")))
  }

  @Test("a birth date is not after today and at most 130 years ago", .tags(.ACC_3))
  func birthDates() throws {
    let today = try CalendarDate("2026-03-15")
    #expect(try BirthDate(today, today: today).age(on: today) == 0)
    #expect(throws: BirthDateError.inFuture) {
      try BirthDate(today.adding(days: 1), today: today)
    }
    #expect(try BirthDate(CalendarDate("1895-03-16"), today: today).age(on: today) == 130)
    #expect(throws: BirthDateError.tooLongAgo) {
      try BirthDate(CalendarDate("1895-03-15"), today: today)
    }
  }
}

extension String {
  fileprivate func cycled(_ count: Int) -> String {
    let scalars = Array(unicodeScalars)
    var text = String.UnicodeScalarView()
    for index in 0..<count { text.append(scalars[index % scalars.count]) }
    return String(text)
  }
}
