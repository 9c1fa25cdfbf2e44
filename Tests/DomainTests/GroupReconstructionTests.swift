import Domain
import Requirements
import Support
import Testing

/// Attack 10 of `docs/facts.md`: solving answers about overlapping groups for one person.
///
/// The attackers are stronger than any real one: releases have no noise of their own, the exact
/// numbers of people are known, shares are given by bin, sets may differ by one person, and all
/// other people's values are constant. Only the noise of the person remains.
@Suite("Reconstruction of one person from many group answers")
struct GroupReconstructionTests {
  private static let targets = 200
  private static let others = 1_500

  /// The solved contribution of a person: to a sum of values, and to the number of people in the
  /// highest bin less those in the lowest.
  private typealias Contribution = (value: Double, bins: Double)

  /// Targets, each a separate atom with values at one end of the range, and others spread over it.
  private struct Population {
    let group: SimulatedGroup
    let isHigh: [Bool]
    let values: [Double]

    /// The others belong to `bases` atoms of `GroupReconstructionTests.others` people each.
    init(seed: UInt64, bases: Int = 1) throws {
      var random = SeededRandom(seed: seed)
      isHigh = (0..<targets).map { _ in Bool.random(using: &random) }
      // Beyond the ends, so that they are clamped: 200 BPM counts as 120.
      var values = isHigh.map { $0 ? 200.0 : 30 }
      var atoms = (1...targets).map { UInt8($0) }
      for base in 0..<bases {
        values += (0..<others).map { _ in Double.random(in: 30...130, using: &random) }
        atoms += Array(repeating: UInt8(targets + 1 + base), count: others)
      }
      self.values = values
      group = try SimulatedGroup(atoms: atoms, noise: .seeded(seed))
    }

    /// The number of people in an atom.
    func people(in atom: Int) -> Int { atom < targets ? 1 : others }

    /// The share of the targets guessed right from their solved contributions, by the likelihood
    /// ratio of the two ends.
    func guessed(_ solved: [Contribution]) -> Double {
      let coding = group.coding
      let level = PersonNoise.levelDeviation * coding.width
      let bins = 2 * PersonNoise.binDeviation * PersonNoise.binDeviation
      let right = zip(solved, isHigh).count { one, isHigh in
        let ratio =
          (one.value - group.middle) * coding.width / (level * level) + 2 * one.bins / bins
        return (ratio > 0) == isHigh
      }
      return Double(right) / Double(targets)
    }
  }

  /// The content of an answer about some atoms: the sum of the values, and of the bins as above.
  private static func answer(_ tally: GroupTally, _ atoms: [Int]) throws -> [Double] {
    var union = tally.parts[atoms[0]]
    for atom in atoms.dropFirst() { union.add(tally.parts[atom]) }
    let released = try #require(union.released(with: .silent))
    let shares = union.shares(with: .silent)
    let people = Double(union.people)
    return [released.mean * people, (shares[7] - shares[0]) * people]
  }

  private static func solve(
    _ tally: GroupTally, answers: Int, _ atoms: (Int) -> [Int]
  ) throws -> [Contribution] {
    // The others are 1,500 indistinguishable people: one unknown number.
    var system = LeastSquares(unknown: targets + 1, kinds: 2)
    for number in 0..<answers {
      let asked = atoms(number) + [targets]
      system.add(asked, try answer(tally, asked))
    }
    let solved = system.solved()
    return (0..<targets).map { (solved[0][$0], solved[1][$0]) }
  }

  @Test(
    "10,000 answers by age, with one person each, reveal at most 80 % of the people",
    .tags(.GRP_1, .R30))
  func ages() throws {
    let population = try Population(seed: 1)
    let tally = try population.group.count(population.values, days: 100...106)
    var random = SeededRandom(seed: 11)
    let solved = try Self.solve(tally, answers: 10_000) { _ in
      let ends = [0, 1].map { _ in Int.random(in: 0..<Self.targets, using: &random) }.sorted()
      return Array(ends[0]...ends[1])
    }
    let guessed = population.guessed(solved)
    print("guessed right of unique ages: \(guessed)")
    #expect((0.6...0.8).contains(guessed))
  }

  @Test(
    "combinations of attributes instead of a unique age guess no better", .tags(.GRP_1, .R30))
  func combinations() throws {
    let population = try Population(seed: 2)
    let tally = try population.group.count(population.values, days: 100...106)
    var random = SeededRandom(seed: 12)
    // Twenty ages and ten regions: each pair of them has one person.
    let solved = try Self.solve(tally, answers: 10_000) { _ in
      let ends = [0, 1].map { _ in Int.random(in: 0..<20, using: &random) }.sorted()
      let regions = (0..<10).filter { _ in Bool.random(using: &random) }
      return (ends[0]...ends[1]).flatMap { age in regions.map { 10 * age + $0 } }
    }
    let guessed = population.guessed(solved)
    print("guessed right of combinations: \(guessed)")
    #expect((0.6...0.8).contains(guessed))
  }

  @Test(
    "five companies that pool a year of their subscriptions guess no better",
    .tags(.GRP_1, .R30))
  func subscriptions() throws {
    let population = try Population(seed: 3, bases: 5)
    var sums = Array(repeating: (value: 0.0, bins: 0.0), count: Self.targets)
    var answers = 0.0
    for week in 0..<52 as Range<Int32> {
      let days = 100 + 7 * week...106 + 7 * week
      let tally = try population.group.count(population.values, days: days)
      // Each company requests 1,500 people of its own, with each target and without.
      for company in Self.targets..<Self.targets + 5 {
        let without = try Self.answer(tally, [company])
        for target in 0..<Self.targets {
          let with = try Self.answer(tally, [company, target])
          sums[target].value += with[0] - without[0]
          sums[target].bins += with[1] - without[1]
        }
        answers += 1
      }
    }
    let guessed = population.guessed(sums.map { ($0.value / answers, $0.bins / answers) })
    print("guessed right of subscriptions: \(guessed)")
    #expect((0.6...0.8).contains(guessed))
  }

  @Test(
    "conditions on a mean at every bound reveal a person's level, not the mean",
    .tags(.GRP_1))
  func conditions() throws {
    let population = try Population(seed: 4)
    let steps = SearchParameter.steps(within: 20...250).step
    var included = Array(repeating: 0, count: Self.targets)
    let bounds = stride(from: 20, through: 250, by: steps)
    for bound in bounds {
      let tally = try population.group.count(
        population.values, days: 100...100, where: [(.heartRate, .atLeast, bound)],
        wanted: .steps)
      // A person's presence in an answer about steps is an exact bit of the heart rate's level.
      for target in 0..<Self.targets where tally.contributors.contains(target) {
        included[target] += 1
      }
    }
    let middle = bounds.count { $0 <= population.group.middle }
    let right = zip(included, population.isHigh).count { ($0 > middle) == $1 }
    let guessed = Double(right) / Double(Self.targets)
    print("guessed right of conditions: \(guessed)")
    #expect((0.6...0.8).contains(guessed))
  }

  @Test(
    "of 20,000 people with exactly known contributions at most 78 % are guessed right",
    .tags(.GRP_1, .R30))
  func limit() throws {
    let noise = PersonNoise.seeded(5)
    let coding = try #require(DayValueCode(.heartRate))
    let people = 20_000
    let levels = noise.levels(.heartRate, from: 0, count: people)
    var right = 0
    for end in [false, true] {
      let bins = noise.bins(.heartRate, (0..<people).map { ($0, end ? 7 : 0) })
      for (level, draws) in zip(levels, bins) {
        let noisy = draws[7] - draws[0] + (end ? 1 : -1)
        let value = Double(level) / DayValueCode.stepsOfRange + (end ? 0.5 : -0.5)
        let deviation = PersonNoise.levelDeviation
        let ratio =
          value / (deviation * deviation)
          + Double(noisy) / (PersonNoise.binDeviation * PersonNoise.binDeviation)
        if (ratio > 0) == end { right += 1 }
      }
    }
    let guessed = Double(right) / Double(2 * people)
    print("guessed right where all is known: \(guessed)")
    #expect((0.76...0.78).contains(guessed))
    #expect(coding.width == 80)
  }
}
