import Synchronization

/// A generator with a printed seed, so that a failure can be reproduced (SplitMix64).
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64 = .random(in: 0...(.max)), _ test: String = #function) {
    state = seed
    print("seed of \(test): \(seed)")
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

/// Bytes from such a generator.
final class SeededBytes: Sendable {
  private let random: Mutex<SeededRandom>

  init(_ test: String = #function) { random = Mutex(SeededRandom(test)) }

  func next(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in .random(in: 0...(.max), using: &random) } }
  }
}
