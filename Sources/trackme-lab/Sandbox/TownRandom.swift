import Bytes

// Random numbers of the town: a sequence for each purpose, so that a change of one part of the
// model leaves the others as they were.
extension DeterministicRandom {
  /// The subject of a sequence.
  enum Purpose: Int {
    case person = 1
    case day, illness, adherence, heartRate, measurement, race
  }

  /// The sequence of a seed for a purpose and for these numbers.
  init(_ seed: UInt64, _ purpose: Purpose, _ numbers: Int...) {
    var word = SplitMix64.mixed(seed &+ UInt64(purpose.rawValue) &* SplitMix64.increment)
    for number in numbers {
      let part = UInt64(bitPattern: Int64(number)) &+ 1
      word = SplitMix64.mixed(word &+ part &* SplitMix64.increment)
    }
    self.init(seed: word)
  }

  /// A nearly normal number around zero with this standard deviation, at most three of them away:
  /// the sum of three equally distributed numbers (Irwin–Hall).
  mutating func around(_ deviation: Double) -> Double {
    (fraction() + fraction() + fraction() - 1.5) * 2 * deviation
  }

  /// Whether an event of this probability occurs.
  mutating func happens(_ probability: Double) -> Bool { fraction() < probability }

  /// One element of a list that has some.
  mutating func one<Element>(of elements: [Element]) -> Element {
    elements[whole(0...elements.count - 1)]
  }
}
