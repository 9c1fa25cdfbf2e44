import Foundation
import FuzzTargets
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
    let seed = UInt64.random(in: .min ... .max)
    print("fuzz replay of \(target.rawValue): seed \(seed)")
    var random = Mutations(seed: seed)
    for input in inputs where input.count <= 65_536 {
      target.run(input)
      for _ in 0..<50 { target.run(random.mutation(of: input)) }
    }
  }
}

/// Makes small random changes to an input, deterministic for the same seed (xorshift64).
private struct Mutations {
  private var state: UInt64

  init(seed: UInt64) { state = seed | 1 }

  private mutating func next(below bound: Int) -> Int {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int(state % UInt64(max(1, bound)))
  }

  mutating func mutation(of input: [UInt8]) -> [UInt8] {
    var bytes = input
    for _ in 0...next(below: 3) {
      let place = next(below: bytes.count)
      switch next(below: 4) {
      case 0 where !bytes.isEmpty: bytes[place] = UInt8(next(below: 256))
      case 1 where !bytes.isEmpty: bytes.remove(at: place)
      case 2: bytes.insert(UInt8(next(below: 256)), at: min(place, bytes.count))
      default: bytes = Array(bytes.prefix(place))
      }
    }
    return bytes
  }
}
