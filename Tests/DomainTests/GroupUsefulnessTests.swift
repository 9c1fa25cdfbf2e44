import Bytes
import Domain
import Requirements
import Support
import Testing

@Suite("Group answers stay useful")
struct GroupUsefulnessTests {
  /// The root-mean-square errors: of means relative to the range, and of shares.
  private struct Errors {
    var means: [Double] = []
    var shares: [Double] = []

    static func root(_ errors: [Double]) -> Double {
      (errors.reduce(0) { $0 + $1 * $1 } / Double(errors.count)).squareRoot()
    }
  }

  /// The errors for populations of this many people, for one day and for a month's mean.
  private func errors(people: Int, rounds: Int) throws -> Errors {
    var errors = Errors()
    for round in 0..<rounds {
      let seed = UInt64(1_000 * people + round) &* SplitMix64.increment
      var random = SeededRandom(seed: seed)
      let bytes = SeededBytes(SeededRandom(seed: ~seed))
      let releases = ReleaseNoise { bytes.next($0) }
      let group = try SimulatedGroup(
        atoms: Array(repeating: 1, count: people), noise: .seeded(seed))
      // Spread approximately as heart rates: the sum of four equal chances, of deviation 12.
      let values = (0..<people).map { _ in
        75 + 12 * 3.squareRoot()
          * ((0..<4).reduce(0) { sum, _ in
            sum + Double.random(in: -0.5...0.5, using: &random)
          })
      }
      let tally = try group.count(values, days: 100...100)
      let released = try #require(tally.histogram.released(with: releases))
      let mean = values.reduce(0, +) / Double(people)
      errors.means.append((released.mean - mean) / group.coding.width)
      var shares = Array(repeating: 0.0, count: DayValueCode.binCount)
      for value in values {
        shares[Int((group.coding.clamped(value) - 40) / 10.000_001)] += 1 / Double(people)
      }
      for (noisy, exact) in zip(tally.histogram.shares(with: releases), shares) {
        errors.shares.append(noisy - exact)
      }
      check(released)
    }
    return errors
  }

  /// Checks that values derived from the noisy shares are consistent.
  private func check(_ released: ReleasedStatistics) {
    #expect(released.percentiles == released.percentiles.sorted())
    #expect(released.standardDeviation >= 0)
    #expect(released.bins.allSatisfy { (0...1).contains($0.share) })
    #expect(abs(released.bins.reduce(0) { $0 + $1.share } - 1) < 1e-9)
  }

  @Test(
    "with 2,000 people a mean errs by at most 2 % of the range and a share by 3.5 points",
    .tags(.R25))
  func few() throws {
    let errors = try errors(people: 2_000, rounds: 200)
    let (mean, share) = (Errors.root(errors.means), Errors.root(errors.shares))
    print("of 2,000 people: mean \(mean), share \(share)")
    #expect(mean <= 0.02)
    #expect(share <= 0.035)
    // The noise is present.
    #expect(mean > 0.01 && share > 0.01)
  }

  @Test(
    "with 50,000 people a mean errs by at most 0.5 % of the range and a share by 0.7 points",
    .tags(.R25))
  func many() throws {
    let errors = try errors(people: 50_000, rounds: 16)
    let (mean, share) = (Errors.root(errors.means), Errors.root(errors.shares))
    print("of 50,000 people: mean \(mean), share \(share)")
    #expect(mean <= 0.005)
    #expect(share <= 0.007)
    #expect(mean > 0.001 && share > 0.002)
  }

  @Test("a group selected by a condition on its own type has a correct mean on average")
  func chosen() throws {
    var means: [Double] = []
    for round in 0..<20 as Range<UInt64> {
      let group = try SimulatedGroup(
        atoms: Array(repeating: 1, count: 4_000), noise: .seeded(900 + round))
      let values = Array(repeating: 75.0, count: 4_000)
      let tally = try group.count(
        values, days: 100...101, where: [(.heartRate, .less, 80)])
      let released = try #require(tally.histogram.released(with: .silent))
      #expect((1_800...2_400).contains(tally.histogram.people))
      #expect(tally.largeDays.count == 2 && tally.releasedDays.isEmpty)
      means.append(released.mean)
    }
    // Weighted by levels it would be about 20, because the selection prefers low levels.
    let mean = means.reduce(0, +) / 20
    #expect(abs(mean - 75) < 2, "\(mean)")
  }
}
