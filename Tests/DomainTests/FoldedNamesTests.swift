import Domain
import Foundation
import Requirements
import Testing

@Suite("Letters of names")
struct FoldedNamesTests {
  /// Latin, Greek and Cyrillic, Hebrew, Arabic, Devanagari, more Latin and Greek, two signs of
  /// units, Japanese, some Korean syllables, Hebrew letters with points.
  private static let blocks: [ClosedRange<UInt32>] = [
    0xC0...0x24F, 0x370...0x4FF, 0x5D0...0x5F4, 0x620...0x6D4, 0x900...0x97F, 0x1E00...0x1FFF,
    0x212A...0x212B, 0x3040...0x30FF, 0xAC00...0xACFF, 0xFB1D...0xFB4F,
  ]

  @Test("a letter is the same as one character and as letter and accents", .tags(.ACC_12))
  func bothWays() {
    var different: [String] = []
    for scalar in Self.blocks.joined().compactMap({ Unicode.Scalar($0) })
    where scalar.properties.generalCategory != .unassigned {
      let text = String(scalar)
      let decomposed = text.decomposedStringWithCanonicalMapping
      let folded = Array(CompanyName.searchText(of: text).utf8)
      // Compared as bytes, as they are hashed: Swift strings are equal in both spellings anyway.
      var isSame = folded == Array(CompanyName.searchText(of: decomposed).utf8)
      if let base = decomposed.unicodeScalars.first, base.isASCII, base.properties.isAlphabetic {
        isSame = isSame && folded == Array(String(base).lowercased().utf8)
      }
      if !isSame { different.append("U+\(String(scalar.value, radix: 16)) \(text)") }
    }
    #expect(different.isEmpty)
  }

  @Test(
    "company names that look alike are the same name", .tags(.ACC_12),
    arguments: [
      ("Clinica \u{15E}tefan", "clinicastefan"), ("Clinica S\u{327}tefan", "clinicastefan"),
      ("\u{150}rs\u{E9}g", "orseg"), ("O\u{30B}rse\u{301}g", "orseg"),
      ("Dvo\u{159}\u{E1}k", "dvorak"), ("Ha\u{142}as", "halas"), ("\u{1C4}ez", "dzez"),
      ("D\u{17D}ez", "dzez"), ("\u{FB01}ducia", "fiducia"), ("\u{2163} Medica", "ivmedica"),
      ("\u{13AA}lfa", "alfa"), ("\u{391}\u{3AC}lf\u{1D6C2}", "aalfa"), ("Ac\u{200D}me", "acme"),
      ("\u{39D}\u{399}\u{39A}\u{39F}\u{3A3}", "niko\u{3C3}"),
      ("\u{39D}\u{3AF}\u{3BA}\u{3BF}\u{3C2}", "niko\u{3C3}"),
      ("Acme\u{3164} S\u{200C}pa", "acme"), ("Ac\u{20DD}me", "acme"), ("\u{FF21}cme", "acme"),
    ])
  func lookAlikes(name: String, folded: String) throws {
    #expect(try CompanyName(name).normalised == folded)
  }

  @Test(
    "a real name is found without its accents, in either Unicode spelling", .tags(.RUN_7),
    arguments: [
      "\u{15E}ebnem K\u{131}z\u{131}l\u{131}rmak", "S\u{327}ebnem K\u{131}z\u{131}l\u{131}rmak",
      "Sebnem Kizilirmak", "\u{15E}EBNEM KIZILIRMAK", "\u{15F}ebnem K\u{130}zilirmak",
    ])
  func realNames(name: String) {
    #expect(FullName.searchText(of: name) == "sebnemkizilirmak")
  }

  @Test("invisible letters are not a name")
  func unseen() {
    for text in ["\u{3164}", "\u{345}", "\u{115F}\u{1160}"] {
      #expect(throws: NameError.empty) { try FullName(text) }
    }
  }
}
