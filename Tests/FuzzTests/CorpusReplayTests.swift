import Foundation
import FuzzTargets
import Support
import Testing

@Suite("The fuzz corpora")
struct CorpusReplayTests {
  /// The inputs of a target's corpus, sorted by name.
  private static func corpus(of target: FuzzTarget) throws -> [[UInt8]] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Fuzz/Corpora/\(target.corpus)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      Array(try Data(contentsOf: folder.appendingPathComponent($0)))
    }
  }

  @Test(
    "every input of a corpus, also truncated and mutated, satisfies the properties of its parser",
    arguments: FuzzTarget.allCases)
  func replay(target: FuzzTarget) throws {
    let inputs = try Self.corpus(of: target)
    #expect(inputs.count >= 5, "the corpus of \(target.rawValue) is too small to say anything")
    var random = SeededRandom("\(target.rawValue)")
    for input in inputs where input.count <= 65_536 {
      target.run(input)
      for _ in 0..<50 { target.run(Self.mutation(of: input, using: &random)) }
    }
  }

  /// A copy of an input with a few small random changes.
  private static func mutation(of input: [UInt8], using random: inout SeededRandom) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      let index = bytes.isEmpty ? 0 : Int.random(in: bytes.indices, using: &random)
      let byte = UInt8.random(in: .min ... .max, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0 where !bytes.isEmpty: bytes[index] = byte
      case 1 where !bytes.isEmpty: bytes.remove(at: index)
      case 2: bytes.insert(byte, at: index)
      default: bytes = Array(bytes.prefix(index))
      }
    }
    return bytes
  }
}
