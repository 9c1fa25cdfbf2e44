// Support is what the tests of several modules share: random numbers that can be repeated, a manual
// clock, and waiting for a condition.

import Bytes
import Synchronization

/// A generator that repeats its numbers for the same seed.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  /// The seed that repeats the numbers.
  package let seed: UInt64
  private var numbers: SplitMix64

  /// Starts from a seed chosen by the test.
  package init(seed: UInt64) {
    self.seed = seed
    numbers = SplitMix64(seed: seed)
  }

  /// Starts from a random seed and prints it with the test, so that a failure can be repeated.
  package init(_ test: String = #function, in file: String = #fileID) {
    self.init(seed: .random(in: .min ... .max))
    print("seed of \(test) in \(file): \(seed)")
  }

  /// The next number.
  package mutating func next() -> UInt64 { numbers.next() }
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
