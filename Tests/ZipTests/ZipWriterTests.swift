import Foundation
import Requirements
import Support
import Testing
import Zip

@Suite("Writing a zip")
struct ZipWriterTests {
  /// Prints the contents of a zip as found by Python's zipfile, an independent implementation.
  private static let reader = """
    import sys, zipfile
    with zipfile.ZipFile(sys.argv[1]) as archive:
        assert archive.testzip() is None
        for entry in archive.infolist():
            print(entry.filename, entry.file_size, entry.date_time[:3], end=";")
            print(archive.read(entry)[:5].decode(), end=";")
    """

  /// Numbers in fields of four bytes, and as if a byte more exceeded them.
  @Test(
    "other programs read a zip with several entries, empty ones and eight-byte fields",
    .tags(.ACC_11), arguments: [0xFFFF_FFFF, 0])
  func read(wordMax: UInt64) async throws {
    let zip = try #require(ZipWriter(year: 2026, month: 11, day: 18, wordMax: wordMax))
    let long = Array(String(repeating: "health ", count: 100_000).utf8)
    var bytes = zip.begin("a/città.txt") + zip.write(Array("first".utf8)) + zip.endEntry()
    bytes += zip.begin("empty") + zip.endEntry()
    bytes += zip.begin("long") + zip.write(long) + zip.write([]) + zip.write(long)
    bytes += zip.endEntry() + zip.end()
    let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).zip"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data(bytes).write(to: URL(filePath: path))
    #expect(try Self.run(["unzip", "-t", path]).contains("No errors detected"))
    let found = try Self.run(["python3", "-c", Self.reader, path])
    #expect(
      found == "a/città.txt 5 (2026, 11, 18);first;empty 0 (2026, 11, 18);;"
        + "long 1400000 (2026, 11, 18);healt;")
  }

  private static func run(_ arguments: [String]) throws -> String {
    let program = Program(command: arguments, environment: ["LC_ALL": "C.UTF-8"])
    let outcome = try program.runAndBlock()
    #expect(outcome.isSuccess, "\(outcome.output)")
    return outcome.output
  }
}
