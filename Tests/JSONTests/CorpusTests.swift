import Foundation
import FuzzTargets
import JSON
import Requirements
import Support
import Testing

/// The documents of `Tests/Fuzz/Corpora/json`, named `accepted-…` or `refused-…`.
struct CorpusDocument: CustomTestStringConvertible {
  var name: String
  var bytes: [UInt8]
  var testDescription: String { name }

  /// Empty if the folder cannot be read; the test of the corpus size detects this.
  static let all: [CorpusDocument] = {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpora/json")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().compactMap { name in
      let data = try? Data(contentsOf: folder.appendingPathComponent(name))
      return data.map { CorpusDocument(name: name, bytes: Array($0)) }
    }
  }()
}

@Suite("JSON: the fuzz corpus")
struct CorpusTests {
  @Test("the corpus contains at least 100 documents, of both kinds")
  func corpus() {
    #expect(CorpusDocument.all.count >= 100)
    #expect(CorpusDocument.all.contains { $0.name.hasPrefix("accepted-") })
    #expect(CorpusDocument.all.contains { $0.name.hasPrefix("refused-") })
  }

  @Test("each document is accepted or refused as its name says", arguments: CorpusDocument.all)
  func verdict(_ document: CorpusDocument) {
    let result = outcome { () throws(JSONError) in
      try JSONReader.read(JSONTree.self, from: document.bytes)
    }
    switch result {
    case .success: #expect(document.name.hasPrefix("accepted-"))
    case .failure: #expect(document.name.hasPrefix("refused-"))
    }
    fuzzJSON(document.bytes)
    fuzzSchema(document.bytes)
  }

  @Test("truncated and modified documents satisfy the properties of the fuzz targets")
  func mutations() {
    var random = SeededRandom()
    let alphabet = Array(#"{}[]",:\u0dD81e-.+ \#u{0}\#u{80}tfn"#.utf8)
    let small = CorpusDocument.all.filter { $0.bytes.count < 1000 }
    for document in small {
      for count in document.bytes.indices { fuzzJSON(Array(document.bytes[..<count])) }
      for _ in 0..<40 where !document.bytes.isEmpty {
        var bytes = document.bytes
        for _ in 0...random.next(upperBound: UInt64(2)) {
          bytes[Int.random(in: bytes.indices, using: &random)] =
            alphabet.randomElement(using: &random) ?? 0
        }
        fuzzJSON(bytes)
        fuzzSchema(bytes)
      }
    }
  }

  @Test("random documents have the same value in Foundation, in both directions")
  func foundation() throws {
    var random = SeededRandom()
    let seed = random.seed
    for _ in 0..<1000 {
      let tree = JSONTree.random(depth: 4, using: &random)
      let bytes = tree.bytes
      let theirs = try JSONSerialization.jsonObject(
        with: Data(bytes), options: [.fragmentsAllowed])
      let isSame = tree.isEqual(to: theirs)
      #expect(isSame, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
      let data = try JSONSerialization.data(withJSONObject: theirs, options: [.fragmentsAllowed])
      let isSameAgain = try JSONReader.read(JSONTree.self, from: Array(data)).isEqual(to: theirs)
      #expect(isSameAgain, "seed \(seed): \(String(decoding: data, as: UTF8.self))")
    }
  }
}
