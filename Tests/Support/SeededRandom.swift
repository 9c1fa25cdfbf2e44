// Support is what the tests of several modules share: random numbers that can be repeated, a manual
// clock, and waiting for a condition.

import Synchronization

/// A generator that repeats its numbers for the same seed (SplitMix64: Steele, Lea and Flood,
/// OOPSLA 2014).
package struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed that repeats the numbers.
  package let seed: UInt64
  private var state: UInt64

  /// Starts from a seed chosen by the test.
  package init(seed: UInt64) {
    self.seed = seed
    state = seed
  }

  /// Starts from a random seed and prints it with the test, so that a failure can be repeated.
  package init(_ test: String = #function, in file: String = #fileID) {
    self.init(seed: .random(in: .min ... .max))
    print("seed of \(test) in \(file): \(seed)")
  }

  /// The next number.
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}

/// Random bytes that several tasks may draw, repeated for the same seed.
package final class SeededBytes: Sendable {
  private let random: Mutex<SeededRandom>

  /// Draws from this generator.
  package init(_ random: SeededRandom) { self.random = Mutex(random) }

  /// The next bytes.
  package func next(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in .random(in: 0...(.max), using: &random) } }
  }
}
