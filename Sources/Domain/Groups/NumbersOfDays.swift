/// The numbers of people that a cohort is told of its days.
///
/// Were one drawn for each day, the many days of an answer would give the number of who has values
/// on all of them, by their mean. So a day on which about as many people have values as in the
/// whole is told the number of the whole, and one that is like another day in this that day's; only
/// others get a number of their own, of which there are ten or so at most (GRP-1).
package struct NumbersOfDays: Sendable {
  /// How many people were counted where a number was drawn, and what is told of them.
  package struct Drawn: Hashable, Sendable {
    /// How many people were counted.
    package let counted: Int
    /// How many are told.
    package let told: Int

    /// A number that was drawn.
    package init(counted: Int, told: Int) {
      self.counted = counted
      self.told = told
    }
  }

  /// Numbers of people that are this near each other are told as one: a tenth of the whole, and
  /// what two sets of a cohort may differ by at least.
  private let reach: Int
  private var drawn: [Drawn]

  /// The numbers of a cohort whose whole was told a number, and those that were drawn for days.
  package init(whole: Drawn, days: [Drawn]) {
    reach = max(GroupThreshold.differenceMax, whole.told / 10)
    drawn = [whole] + days
  }

  /// What is told of a day on which so many people have values. `isDrawn` if it is told for the
  /// first time, and then to other days as well.
  ///
  /// How near is near enough is drawn for each day: else who knows all others could place a day on
  /// that edge, and see whether one more person has a value on it. People who are as many as
  /// before are always near enough.
  package mutating func number(
    of people: Int, with noise: ReleaseNoise
  ) -> (told: Int, isDrawn: Bool) {
    let edge = reach + noise.people()
    if let near = drawn.first(where: { abs($0.counted - people) <= edge }) {
      return (near.told, false)
    }
    let told = GroupThreshold.released(people, with: noise)
    drawn.append(Drawn(counted: people, told: told))
    return (told, true)
  }
}
