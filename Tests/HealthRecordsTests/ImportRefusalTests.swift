import Domain
import FuzzTargets
import HealthRecords
import Requirements
import Testing
import XML

@Suite("Exports that are refused, with line and column")
struct ImportRefusalTests {
  /// The position and reason of a refusal.
  private func refusal(_ text: String, pieces: Int = 4096) -> ImportFault? {
    readExport(Array(text.utf8), inPiecesOf: pieces).fault
  }

  @Test("elements that are closed in the wrong order", .tags(.DAT_6))
  func nesting() throws {
    let text =
      "<?xml version=\"1.0\"?>\n<!DOCTYPE HealthData [\n<!-- è -->\n]><HealthData>\n"
      + "  <a><b></a></b>\n</HealthData>"
    for pieces in [1, 5, 4096] {
      let fault = try #require(refusal(text, pieces: pieces))
      #expect(fault.line == 5 && fault.column == 11, "\(fault)")
      #expect(fault.detail == "The XML is malformed: mismatched tag.")
    }
  }

  @Test(
    "an entity, a parameter entity or an external identifier in the declaration", .tags(.DAT_6),
    arguments: [
      ("<!DOCTYPE HealthData [\n <!ENTITY a \"b\">\n]><HealthData/>", 2, 2, "declares an entity"),
      ("<!DOCTYPE HealthData [<!ENTITY % a \"b\">]><HealthData/>", 1, 23, "declares an entity"),
      ("<!DOCTYPE HealthData [\n%a;]><HealthData/>", 2, 1, "parameter entity"),
      ("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><HealthData/>", 1, 1, "external identifier"),
      ("<!DOCTYPE a PUBLIC\n\"x\" \"http://x/\"><HealthData/>", 1, 1, "external identifier"),
      ("<!DOCTYPE a [<![INCLUDE[ ]]>]><HealthData/>", 1, 14, "conditional section"),
      ("<!DOCTYPE a [<!NOTATION b SYSTEM \"c\">]><HealthData/>", 1, 14, "notation"),
      ("<!DOCTYPE a><!DOCTYPE b><HealthData/>", 1, 13, "one document type"),
    ])
  func entities(_ text: String, _ line: Int, _ column: Int, _ words: String) throws {
    for pieces in [1, 4096] {
      let fault = try #require(refusal(text, pieces: pieces))
      #expect(fault.line == line && fault.column == column, "\(fault)")
      #expect(fault.detail.contains(words))
    }
  }

  @Test("a billion laughs, because entities are never resolved", .tags(.DAT_6))
  func laughs() throws {
    let fault = try #require(refusal("<HealthData>\n &lol9;</HealthData>"))
    #expect(fault.line == 2 && fault.detail == "The XML is malformed: undefined entity.")
  }

  @Test("a file that ends prematurely", .tags(.DAT_6))
  func truncated() throws {
    let whole = ImportDocumentTests.document("<Record type=\"a\" startDate=\"b\"/>")
    for count in 0..<whole.count {
      #expect(readExport(Array(whole[..<count]), inPiecesOf: 99).fault != nil, "\(count) bytes")
    }
    #expect(readExport(whole, inPiecesOf: 99).fault == nil)
  }

  @Test(
    "a truncated file is reported as such, with the position of its end", .tags(.DAT_6),
    arguments: [
      ("<HealthData>\n <a>\n", 3, 1), ("<HealthData>\n <a b=\"c", 2, 2),
      ("<HealthData>\n<!-- a", 2, 1), ("<HealthData>\n<![CDATA[ a", 2, 12),
      ("<HealthData>\n</Health", 2, 1), ("<HealthData>", 1, 13),
    ])
  func cutOff(_ text: String, _ line: Int, _ column: Int) throws {
    for pieces in [1, 4096] {
      let fault = try #require(refusal(text, pieces: pieces))
      #expect(fault.detail == "The file ends before its root element does: it is truncated.")
      #expect((fault.line, fault.column) == (line, column), "\(text)")
    }
  }

  @Test(
    "a file truncated before the root element is reported as such", .tags(.DAT_6),
    arguments: [
      ("", 1, 1), ("<?xml vers", 1, 11), ("<?xml version=\"1.0\"?>\n", 2, 1),
      ("<!DOCTYPE HealthData [\n<!ELEMENT a", 2, 12), ("<!DOCTYPE HealthData [\n]>", 2, 3),
    ])
  func cutOffEarly(_ text: String, _ line: Int, _ column: Int) throws {
    let fault = try #require(refusal(text))
    #expect(fault.detail == "The file ends before its root element begins.")
    #expect((fault.line, fault.column) == (line, column), "\(text)")
  }

  @Test(
    "any encoding but UTF-8", .tags(.DAT_6),
    arguments: [
      [0xFE, 0xFF, 0, 0x3C, 0, 0x48], [0xFF, 0xFE, 0x3C, 0, 0x48, 0], [0, 0x3C, 0, 0x48, 0],
      [0x3C, 0, 0x48, 0, 0x65], Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a/>".utf8),
    ])
  func encodings(_ bytes: [UInt8]) throws {
    let fault = try #require(readExport(bytes, inPiecesOf: 3).fault)
    #expect(fault.detail == "The document is not written in UTF-8.")
    #expect(fault.line == 1)
  }

  @Test("bytes that are not text: a zero, broken UTF-8", .tags(.DAT_6))
  func bytes() throws {
    for bad: [UInt8] in [[0], [0xC3, 0x28], [0xED, 0xA0, 0x80], [0x08]] {
      let text = Array("<HealthData>\n <a b=\"".utf8) + bad + Array("\"/></HealthData>".utf8)
      #expect(readExport(text, inPiecesOf: 4096).fault?.line == 2)
    }
  }

  @Test("a document that is not an export", .tags(.DAT_6))
  func others() {
    #expect(refusal("<gpx/>")?.detail.contains("HealthData") == true)
    #expect(refusal("<HealthData><Record/></HealthData>")?.detail.contains("no type") == true)
    #expect(refusal("not XML at all")?.line == 1)
  }

  @Test("a start tag up to its limit is read, and one byte more is not", .tags(.DAT_6))
  func longTag() {
    func tag(_ bytes: Int) -> String {
      "<HealthData><a b=\"" + String(repeating: "x", count: bytes - 9) + "\"/></HealthData>"
    }
    #expect(refusal(tag(XMLLimits.tagBytesMax)) == nil)
    #expect(refusal(tag(XMLLimits.tagBytesMax + 1))?.detail.contains("start tag") == true)
  }

  @Test("an endless comment is refused before it fills the memory", .tags(.DAT_6))
  func longComment() {
    let text = "<HealthData><!-- " + String(repeating: "x", count: 1_000_000)
    #expect(refusal(text)?.detail.contains("markup is longer") == true)
    let prolog = "<!DOCTYPE a [ " + String(repeating: " ", count: 1_000_000)
    #expect(refusal(prolog)?.detail.contains("No element begins") == true)
  }

  @Test("elements up to the depth limit are read, and one deeper is not", .tags(.DAT_6))
  func depth() {
    func nested(_ depth: Int) -> String {
      "<HealthData>" + String(repeating: "<a>", count: depth - 1)
        + String(repeating: "</a>", count: depth - 1) + "</HealthData>"
    }
    #expect(refusal(nested(XMLLimits.depthMax)) == nil)
    #expect(refusal(nested(XMLLimits.depthMax + 1))?.detail.contains("levels deep") == true)
  }

  @Test("attributes of up to 512 names are read, and more are not", .tags(.DAT_6))
  func attributeNames() {
    func names(_ count: Int) -> String {
      "<HealthData>" + (0..<count).map { "<a n\($0)=\"\"/>" }.joined() + "</HealthData>"
    }
    #expect(refusal(names(XMLLimits.attributeNamesMax)) == nil)
    #expect(refusal(names(XMLLimits.attributeNamesMax + 1))?.detail.contains("names") == true)
  }
}
