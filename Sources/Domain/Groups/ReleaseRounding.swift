/// The precision of a group's released statistics: never finer than the influence of one person.
///
/// One person's value changes the mean of n people by at most the range ÷ n. Means are rounded to
/// the next larger 1, 2 or 5 times a power of ten (facts, "Group requests", number 7).
package struct ReleaseRounding: Hashable, Sendable {
  /// The significant digit of the step: 1, 2 or 5.
  private let digit: Double
  /// The exponent of the power of ten, used as a divisor if negative.
  private let exponent: Int

  /// The smallest step of this kind that is at least `influence`, which must be positive.
  package init(atLeast influence: Double) {
    var exponent = 0
    var scaled = influence
    while scaled > 10, exponent < 30 {
      scaled /= 10
      exponent += 1
    }
    while scaled <= 1, exponent > -30 {
      scaled *= 10
      exponent -= 1
    }
    switch scaled {
    case ...2: (digit, self.exponent) = (2, exponent)
    case ...5: (digit, self.exponent) = (5, exponent)
    default: (digit, self.exponent) = (1, exponent + 1)
    }
  }

  /// The step for means, by the released number of people: the step must not reveal the true
  /// number.
  package init(rangeWidth: Double, releasedPeople: Int) {
    self.init(atLeast: rangeWidth / Double(max(releasedPeople, 1)))
  }

  /// The distance between two releasable values.
  package var step: Double {
    exponent < 0 ? digit / Self.power(-exponent) : digit * Self.power(exponent)
  }

  /// The nearest releasable value.
  package func round(_ value: Double) -> Double {
    let count = (value / step).rounded()
    let rounded =
      exponent < 0 ? count * digit / Self.power(-exponent) : count * digit * Self.power(exponent)
    return rounded == 0 ? 0 : rounded
  }

  private static func power(_ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { (product, _) in product * 10 }
  }
}

/// The threshold of group requests, and the release of numbers of people.
package enum GroupThreshold {
  /// A group must be larger than this (R28).
  package static let people = 1_000
  /// Sets that differ by at most this many people belong to one cohort, and get one answer for the
  /// same period and breakdown (GRP-1).
  package static let differenceMax = 100

  /// Whether statistics of this many people may be released.
  package static func allows(_ people: Int) -> Bool { people > Self.people }

  /// The released form of a number of people over the threshold: with noise, rounded down to tens,
  /// and never below the threshold.
  package static func released(_ people: Int, with noise: ReleaseNoise) -> Int {
    max((people + noise.people()) / 10 * 10, Self.people)
  }

  /// The parts of a whole that may be released, given the number of people in each.
  ///
  /// Each part must exceed the threshold. The remainder must too, unless it is empty, because
  /// subtracting the parts from the whole would reveal it. Where the remainder does not, the
  /// smallest releasable part is withheld as well.
  package static func releasedParts(_ parts: [Int], of whole: Int) -> [Bool] {
    var isReleased = parts.map(allows)
    while true {
      let shown = zip(parts, isReleased).reduce(0) { $0 + ($1.1 ? $1.0 : 0) }
      let rest = whole - shown
      if rest == 0 || allows(rest) { return isReleased }
      let smallest = parts.indices.filter { isReleased[$0] }.min { parts[$0] < parts[$1] }
      guard let smallest else { return isReleased }
      isReleased[smallest] = false
    }
  }
}
