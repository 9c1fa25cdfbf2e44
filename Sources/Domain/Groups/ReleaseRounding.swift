/// How exactly statistics of a group are released: no more so than the influence of one person.
///
/// One person's value moves the mean of n people by at most the range ÷ n. Means are rounded to
/// the next 1, 2 or 5 times a power of ten above that (facts, "Group requests", number 7).
package struct ReleaseRounding: Hashable, Sendable {
  /// The significant digit of the step: 1, 2 or 5.
  private let digit: Double
  /// The power of ten of the step, as divisor if negative.
  private let exponent: Int

  /// The smallest step of this kind that is at least `influence`, which is positive.
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

  /// The step for means of so many people as are told: the true number would show in the step.
  package init(rangeWidth: Double, toldPeople: Int) {
    self.init(atLeast: rangeWidth / Double(max(toldPeople, 1)))
  }

  /// The distance between two values that can be released.
  package var step: Double {
    exponent < 0 ? digit / Self.power(-exponent) : digit * Self.power(exponent)
  }

  /// The nearest value that can be released.
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

/// The threshold of group requests, and numbers of people as they are released.
package enum GroupThreshold {
  /// A group must be larger than this (R28).
  package static let people = 1_000
  /// Sets that differ by so many people or fewer belong to one cohort, and of one period and
  /// breakdown get one answer (GRP-1).
  package static let differenceMax = 100

  /// Whether so many people may be released.
  package static func allows(_ people: Int) -> Bool { people > Self.people }

  /// A number of people over the threshold as it is released: some more or fewer, rounded down to
  /// tens, and never below the threshold.
  package static func released(_ people: Int, with noise: ReleaseNoise) -> Int {
    max((people + noise.people()) / 10 * 10, Self.people)
  }

  /// Which parts of a whole may be released, given how many people each has.
  ///
  /// Each must be over the threshold, and so must what is left over, if it is anybody: else it
  /// would follow by subtracting the parts from the whole. Where it is not, the smallest part that
  /// was to be released is left out as well.
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
