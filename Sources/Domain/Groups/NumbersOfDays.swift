/// The released numbers of people on the days of a cohort.
///
/// If every day had its own random number, averaging the many days of an answer would reveal how
/// many people have values on all of them. Therefore a day with about as many people as the whole
/// cohort reuses the cohort's number, and a day with about as many as another day reuses that
/// day's. Only the remaining days get a number of their own; there are at most about ten of them
/// (GRP-1).
package struct NumbersOfDays: Sendable {
  /// A true number of people, and the number released for it.
  package struct Drawn: Hashable, Sendable {
    /// The true number of people.
    package let counted: Int
    /// The released number of people.
    package let released: Int

    /// Creates a drawn number.
    package init(counted: Int, released: Int) {
      self.counted = counted
      self.released = released
    }
  }

  /// Numbers this close together share one released number: a tenth of the whole, and at least the
  /// largest difference between two sets of a cohort.
  private let reach: Int
  private var drawn: [Drawn]

  /// Creates the numbers of a cohort from those drawn for the whole and for days.
  package init(whole: Drawn, days: [Drawn]) {
    reach = max(GroupThreshold.differenceMax, whole.released / 10)
    drawn = [whole] + days
  }

  /// The released number for a day with this many people. `isDrawn` is true if it is new, and may
  /// then be reused for other days.
  ///
  /// The limit of closeness is drawn for each day. Otherwise an attacker who knows all other people
  /// could place a day on that limit, and see whether one more person has a value on it. An equal
  /// number of people is always close enough.
  package mutating func number(
    of people: Int, with noise: ReleaseNoise
  ) -> (released: Int, isDrawn: Bool) {
    let edge = reach + noise.people()
    if let near = drawn.first(where: { abs($0.counted - people) <= edge }) {
      return (near.released, false)
    }
    let released = GroupThreshold.released(people, with: noise)
    drawn.append(Drawn(counted: people, released: released))
    return (released, true)
  }
}
