import Foundation
import FuzzTargets
import HTTP
import Requirements
import Support
import Testing

/// A seed of `Tests/Fuzz/Corpora`, named after its expected outcome.
struct CorpusInput: CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var testDescription: String { name }

  static func all(_ folder: String) throws -> [CorpusInput] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "Fuzz/Corpora/\(folder)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map {
      CorpusInput(name: $0, bytes: Array(try Data(contentsOf: folder.appending(path: $0))))
    }
  }
}

@Suite("HTTP: the fuzz corpora", .tags(.GW_4))
struct HTTPCorpusTests {
  @Test("each request head is accepted or refused as its name says")
  func heads() throws {
    let inputs = try CorpusInput.all("request-head")
    #expect(inputs.count >= 30)
    for input in inputs {
      var harness = ParserHarness()
      harness.feed(input.bytes)
      #expect(input.name.hasPrefix("refused") == (harness.failure != nil), "\(input.name)")
      fuzzRequestHead(input.bytes)
    }
  }

  @Test("each chunked body is accepted, refused or unfinished as its name says")
  func bodies() throws {
    let inputs = try CorpusInput.all("chunked-body")
    #expect(inputs.count >= 20)
    for input in inputs {
      let result = decodeChunks([input.bytes[...]])
      #expect(input.name.hasPrefix("refused") == (result.failure != nil), "\(input.name)")
      #expect(input.name.hasPrefix("accepted") == result.isEnded, "\(input.name)")
      fuzzChunkedBody(input.bytes)
    }
  }

  @Test("modified seeds satisfy the properties of the fuzz targets")
  func mutations() throws {
    var random = SeededRandom()
    let alphabet = Array("\r\n\r\n :;,0159aAfG/?#%*\u{0}\t\"".utf8)
    for (folder, fuzz) in [("request-head", fuzzRequestHead), ("chunked-body", fuzzChunkedBody)] {
      for input in try CorpusInput.all(folder) {
        for _ in 0..<60 {
          var bytes = input.bytes
          for _ in 0..<Int.random(in: 1...3, using: &random) {
            let index = Int.random(in: bytes.indices, using: &random)
            let byte = alphabet.randomElement(using: &random) ?? 0
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[index] = byte
            case 1: bytes.insert(byte, at: index)
            default: if bytes.count > 1 { bytes.remove(at: index) }
            }
          }
          fuzz(bytes)
        }
      }
    }
  }
}
