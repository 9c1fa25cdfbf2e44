import Data4Help
import Foundation
import FuzzTargets
import HealthRecords
import Requirements
import Testing
import Zip
import trackme_lab

@Suite("An Apple Health export, in a zip")
struct ImportZipTests {
  /// A file of the corpus, written by Python's zipfile.
  private func file(_ name: String) throws -> [UInt8] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpora/import")
    return Array(try Data(contentsOf: folder.appendingPathComponent(name)))
  }

  @Test(
    "zips that are deflated, stored, with trailing sizes and with large sizes are read",
    .tags(.DAT_6),
    arguments: ["deflated", "stored", "descriptor", "descriptor64", "large64"])
  func variants(_ name: String) throws {
    let plain = readExport(try file("plain.xml"), inPiecesOf: 4096)
    #expect(plain.samples.count == 2 && plain.fault == nil)
    let zip = try file("\(name).zip")
    for count in [1, 2, 3, 29, 30, 31, 100, zip.count] {
      #expect(readExport(zip, inPiecesOf: count) == plain, "in pieces of \(count)")
    }
  }

  @Test(
    "an unreadable zip is refused with a reason", .tags(.DAT_6),
    arguments: [
      ("refused-encrypted", "encrypted"), ("refused-bzip2", "other than deflate"),
      ("refused-other", "no export.xml"), ("refused-bomb", "inflates to more than"),
    ])
  func refused(_ name: String, _ words: String) throws {
    let fault = try #require(readExport(try file("\(name).zip"), inPiecesOf: 64).fault)
    #expect(fault.detail.contains(words), "\(fault)")
    #expect(fault.line == 0 && fault.column == 0)
  }

  @Test("a zip truncated anywhere is refused", .tags(.DAT_6))
  func truncated() throws {
    for name in ["deflated", "descriptor64", "stored"] {
      let zip = try file("\(name).zip")
      for count in 4..<zip.count {
        #expect(readExport(Array(zip[..<count]), inPiecesOf: 512).fault != nil, "\(count) bytes")
      }
    }
  }

  @Test(
    "a truncated zip is reported as truncated, with the line reached in its file",
    .tags(.DAT_6))
  func cutOff() throws {
    let writer = try #require(ZipWriter(year: 2026, month: 3, day: 1))
    let text = "<HealthData>\n" + String(repeating: " <a/>\n", count: 40_000) + "</HealthData>"
    let file = writer.begin("Export.xml") + writer.write(Array(text.utf8)) + writer.endEntry()
    let within = try #require(readExport(Array(file[..<(file.count / 2)]), inPiecesOf: 64).fault)
    #expect(within.detail == "The zip ends before the export.xml in it does: it is truncated.")
    #expect((2...40_001).contains(within.line) && within.column >= 1, "\(within)")
    let after = try #require(readExport(file, inPiecesOf: 64).fault)
    #expect(after.detail == "The zip ends before its directory does: it is truncated.")
    #expect(after.line == 0 && after.column == 0)
    #expect(readExport(file + writer.end(), inPiecesOf: 64).fault == nil)
  }

  @Test("a changed byte of the data fails the checksum", .tags(.DAT_6))
  func checksum() throws {
    var zip = try file("stored.zip")
    let place = try #require(zip.firstIndex(of: UInt8(ascii: "6")))
    zip[place + 0] = UInt8(ascii: "7")
    #expect(readExport(zip, inPiecesOf: 512).fault != nil)
  }

  @Test(
    "a file named twice, or by a name that leads out of the zip, is refused", .tags(.DAT_6),
    arguments: [
      (["a/Export.xml", "a/Export.xml"], "the same name"), (["../Export.xml"], "points outside"),
      (["a/../../Export.xml"], "points outside"), (["/a/Export.xml"], "points outside"),
      (["a\\Export.xml"], "points outside"), (["a/Export.xml", "b..c/Export.xml"], nil),
    ])
  func names(_ names: [String], _ words: String?) throws {
    let writer = try #require(ZipWriter(year: 2026, month: 3, day: 1))
    var zip: [UInt8] = []
    for name in names {
      zip += writer.begin(name) + writer.write(Array("<HealthData/>".utf8)) + writer.endEntry()
    }
    zip += writer.end()
    let fault = readExport(zip, inPiecesOf: 64).fault
    #expect(fault.map { $0.detail.contains(words ?? "?") } == words.map { _ in true }, "\(fault)")
  }

  @Test("a fault of the XML inside is reported with its own line", .tags(.DAT_6))
  func malformedInside() throws {
    let writer = try #require(ZipWriter(year: 2026, month: 3, day: 1))
    let text = Array("<HealthData>\n <a>\n</HealthData>".utf8)
    let zip =
      writer.begin("apple_health_export/Export.xml") + writer.write(text) + writer.endEntry()
      + writer.end()
    let fault = try #require(readExport(zip, inPiecesOf: 64).fault)
    #expect(fault == ImportFault(line: 3, column: 3, "The XML is malformed: mismatched tag."))
  }
}
