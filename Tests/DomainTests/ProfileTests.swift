import Domain
import Requirements
import Testing

@Suite("Profiles")
struct ProfileTests {
  @Test(
    "place names are searched without accents, spaces and apostrophes", .tags(.ACC_3),
    arguments: [
      ("Forlì", "forli"), ("FORLI'", "forli"), ("L'Aquila", "laquila"), ("Sant’Agata", "santagata"),
      ("Alà dei Sardi", "aladeisardi"), ("Straße", "strasse"), ("Števerjan", "steverjan"),
    ])
  func searchText(name: String, expected: String) throws {
    #expect(PlaceName.searchText(of: name) == expected)
    #expect(try PlaceName(name).searchText == expected)
  }

  @Test("a province in brackets and an ISTAT code are distinguished from a name", .tags(.ACC_3))
  func placeNames() throws {
    let samone = try PlaceName(" Samone (tn) ")
    #expect(samone.searchText == "samone")
    #expect(samone.province == "TN")
    #expect(try PlaceName("015146").istatCode == "015146")
    #expect(try PlaceName("15146").istatCode == nil)
    #expect(try PlaceName("(TN)").province == nil)
    #expect(throws: NameError.empty) { try PlaceName(" ") }
    #expect(throws: NameError.tooLong) { try PlaceName(String(repeating: "a", count: 201)) }
    #expect(throws: NameError.controlCharacter) { try PlaceName("Mi\u{0}lano") }
  }

  private func place(
    _ code: String, _ name: String, _ province: String?, istat: String? = nil, current: Bool = true
  ) -> KnownPlace {
    KnownPlace(
      cadastralCode: code, istatCode: istat, name: name, province: province, isCurrent: current)
  }

  @Test("a residence is one present municipality, else the candidates are listed", .tags(.ACC_3))
  func residence() throws {
    let samones = [
      place("H753", "Samone", "TO", istat: "001235"),
      place("H754", "Samone", "TN", istat: "022165"),
      place("H753", "Samone", "AO", current: false),
    ]
    #expect(throws: PlaceError.ambiguous(["Samone (TN, 022165)", "Samone (TO, 001235)"])) {
      try KnownPlace.residence(try PlaceName("samone"), among: samones)
    }
    let named = try KnownPlace.residence(try PlaceName("Samone (TN)"), among: samones)
    #expect(named.cadastralCode == "H754")
    #expect(throws: PlaceError.unknownMunicipality) {
      try KnownPlace.residence(try PlaceName("Samone (MI)"), among: samones)
    }
    #expect(throws: PlaceError.unknownMunicipality) {
      try KnownPlace.residence(try PlaceName("Romania"), among: [place("Z129", "Romania", nil)])
    }
    let accents = [place("C351", "Paternò", "CT"), place("G362", "Paterno", "PZ")]
    #expect(
      try KnownPlace.residence(try PlaceName("PATERNÒ"), among: accents).cadastralCode == "C351")
  }

  @Test("a birth place is the one in the fiscal code", .tags(.R2))
  func birthPlace() throws {
    let code = try FiscalCode("RSSMRA80A01H501U")
    let rome = place("H501", "Roma", "RM")
    #expect(try KnownPlace.birth(among: [rome], of: code) == rome)
    #expect(throws: PlaceError.notOfFiscalCode) {
      try KnownPlace.birth(among: [place("F205", "Milano", "MI")], of: code)
    }
    #expect(throws: PlaceError.unknownPlace) { try KnownPlace.birth(among: [], of: code) }
  }

  @Test("a search refers to the present place, or to a former one", .tags(.R26))
  func searchedPlaces() throws {
    let rome = place("H501", "Roma", "RM")
    let name = try PlaceName("Roma")
    #expect(try KnownPlace.searched(name, among: [rome]) == rome)
    #expect(throws: PlaceError.unknownMunicipality) { try KnownPlace.searched(name, among: []) }
    let gone = [("A001", "TN"), ("A001", "TN"), ("B002", "TO")].map { code, province in
      KnownPlace(
        cadastralCode: code, istatCode: nil, name: "Roma", province: province, isCurrent: false)
    }
    #expect(try KnownPlace.searched(name, among: gone + [rome]) == rome)
    #expect(try KnownPlace.searched(name, among: Array(gone[..<2])) == gone[0])
    #expect(throws: PlaceError.ambiguous(["Roma (TN)", "Roma (TO)"])) {
      try KnownPlace.searched(name, among: gone)
    }
    #expect(try KnownPlace.searched(PlaceName("Roma (TO)"), among: gone) == gone[2])
  }

  @Test(
    "a disease is identified by its name in the list or by its ICD-10 code", .tags(.ACC_3),
    arguments: [
      ("diabetes", ChronicDisease.diabetes), ("Diabetes", .diabetes), ("E11", .diabetes),
      ("e11.9", .diabetes), ("E14", .diabetes), ("C00", .cancer), ("C97.01", .cancer),
      ("G47.3", .sleepApnoea), ("K90.0", .coeliacDisease), ("G30", .dementia),
      ("I10", .hypertension),
    ])
  func diseases(code: String, expected: ChronicDisease) {
    #expect(ChronicDisease(code: code) == expected)
  }

  @Test(
    "a text without a disease of the list has none", .tags(.ACC_3),
    arguments: ["", "E15", "E09.9", "G47", "G47.2", "K90.1", "J46", "flu", "E1", "E11.", "E11.999"])
  func noDiseases(code: String) {
    #expect(ChronicDisease(code: code) == nil)
  }

  @Test("no ICD-10 category belongs to two diseases of the list", .tags(.ACC_3))
  func categories() {
    let letters = (0..<26).compactMap { Unicode.Scalar(UInt8(65 + $0)) }
    for letter in letters {
      for number in 0..<100 {
        let code = "\(letter)\(number < 10 ? "0" : "")\(number)"
        let covering = ChronicDisease.allCases.filter { disease in
          disease.categories.contains { category in
            let ends = category.split(separator: "-")
            return ends[0] <= code && code <= ends[ends.count - 1]
          }
        }
        #expect(covering.count <= 1, "\(code)")
      }
    }
  }

  @Test("countries, telephone numbers, lines and drugs are within their limits", .tags(.ACC_3))
  func limits() throws {
    #expect(CountryCode("it")?.text == "IT")
    for wrong in ["", "I", "ITA", "ZZ", "EU", "1T"] { #expect(CountryCode(wrong) == nil) }
    #expect(try PhoneNumber("+39 (02) 123-45.67").text == "+39021234567")
    #expect(try PhoneNumber("12345").text == "12345")
    #expect(try PhoneNumber("123456789012345").text.utf8.count == 15)
    for wrong in ["", "1234", "1234567890123456", "12345x", "39+02123", "++3902123"] {
      #expect(throws: PhoneNumberError.malformed) { try PhoneNumber(wrong) }
    }
    #expect(try ProfileLine(" Via Roma 1 ").text == "Via Roma 1")
    #expect(try ProfileLine(String(repeating: "a", count: 200)).text.utf8.count == 200)
    for wrong in ["", "  ", String(repeating: "a", count: 201), "Via\nRoma"] {
      #expect(throws: ProfileLineError.self) { try ProfileLine(wrong) }
    }
    let name = try ProfileLine("Insulin")
    for doses in [0.01, 3, 96] { #expect(Drug(name: name, dosesPerDay: doses) != nil) }
    for doses in [0, 0.009, 96.1, -.infinity, .nan] {
      #expect(Drug(name: name, dosesPerDay: doses) == nil)
    }
  }

  @Test("third parties agree to four documents, single users to two", .tags(.ACC_2))
  func documents() {
    #expect(LegalDocument.allCases.filter { $0.concerns(.thirdParty) }.count == 4)
    #expect(LegalDocument.allCases.filter { $0.concerns(.singleUser) } == [.privacy, .terms])
  }
}
