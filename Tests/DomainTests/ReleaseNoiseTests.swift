import Domain
import Requirements
import Support
import Testing

@Suite("the noise of released statistics")
struct ReleaseNoiseTests {
  /// Reproducible noise.
  private func noise(seed: UInt64) -> ReleaseNoise {
    let bytes = SeededBytes(SeededRandom(seed: seed))
    return ReleaseNoise { bytes.next($0) }
  }

  @Test(
    "no released number of people is much likelier with one person than without",
    .tags(.GRP_1, .R30))
  func odds() {
    let noise = noise(seed: 56)
    let draws = 200_000
    func released(_ people: Int) -> [Int: Int] {
      (0..<draws).reduce(into: [:]) { counts, _ in
        counts[GroupThreshold.released(people, with: noise), default: 0] += 1
      }
    }
    let (without, with) = (released(1_499), released(1_500))
    // For numbers released often enough to compare, the odds are e^(1/10) at most.
    let common = without.filter { $0.value > 5_000 }
    #expect(common.count >= 5)
    for (number, count) in common {
      let odds = Double(with[number] ?? 0) / Double(count)
      #expect((0.85...1.18).contains(odds), "\(number): \(odds)")
    }
    #expect(without.keys.allSatisfy { $0 % 10 == 0 && (1_390...1_600).contains($0) })
  }

  @Test("draws are symmetric, small ones likelier, none beyond 100", .tags(.GRP_1))
  func draws() {
    let noise = noise(seed: 57)
    let draws = (0..<100_000).map { _ in noise.people() }
    #expect(draws.allSatisfy { abs($0) <= ReleaseNoise.most })
    #expect(abs(draws.reduce(0, +)) < 30_000)
    let spread = Double(draws.reduce(0) { $0 + $1 * $1 }) / 100_000
    #expect((190...210).contains(spread), "\(spread)")
    for distance in [0, 5, 10, 20] {
      let (near, far) = (draws.count { $0 == distance }, draws.count { $0 == distance + 5 })
      #expect(near > far)
    }
    #expect(ReleaseNoise.silent.people() == 0)
  }

  @Test(
    "the days of a cohort have at most a dozen numbers, those of the same people one",
    .tags(.GRP_1, .R30))
  func days() {
    let noise = noise(seed: 59)
    for people in [1_001, 1_500, 10_000, 100_000] {
      let whole = NumbersOfDays.Drawn(counted: people, released: people / 10 * 10 + 50)
      var numbers = NumbersOfDays(whole: whole, days: [])
      var drawn: [NumbersOfDays.Drawn] = []
      for day in 0..<1_000 {
        #expect(numbers.number(of: people, with: noise).released == whole.released)
        // From the threshold to the whole, in no particular order.
        let count = 1_001 + day * 7_919 % 1_000 * (people - 1_001) / 1_000
        let (released, isDrawn) = numbers.number(of: count, with: noise)
        if isDrawn { drawn.append(.init(counted: count, released: released)) }
        #expect(released >= 1_000 && abs(released - count) <= max(300, people / 10 + 310))
      }
      #expect(drawn.count <= 12, "\(people): \(drawn.count)")
      // Days requested later get the same numbers.
      var later = NumbersOfDays(whole: whole, days: drawn)
      for one in drawn { #expect(!later.number(of: one.counted, with: noise).isDrawn) }
    }
  }

  @Test(
    "a day close to the edge lies on a random side of it", .tags(.GRP_1))
  func edge() {
    let noise = noise(seed: 60)
    let whole = NumbersOfDays.Drawn(counted: 2_000, released: 2_000)
    let near = (0..<200).count { _ in
      var numbers = NumbersOfDays(whole: whole, days: [])
      return !numbers.number(of: 1_800, with: noise).isDrawn
    }
    #expect((50...150).contains(near), "\(near)")
    var numbers = NumbersOfDays(whole: whole, days: [])
    #expect(numbers.number(of: 1_800, with: .silent) == (2_000, false))
    #expect(numbers.number(of: 1_799, with: .silent) == (1_790, true))
    #expect(numbers.number(of: 1_700, with: .silent) == (1_790, false))
  }

  @Test("every possible random byte yields a draw", .tags(.GRP_1))
  func extremes() {
    #expect(ReleaseNoise { Array(repeating: 0, count: $0) }.people() == 0)
    #expect(abs(ReleaseNoise { Array(repeating: 255, count: $0) }.people()) == 100)
  }

  @Test(
    "with noise, statistics stay in range and in order, and the number over the threshold",
    .tags(.R28, .GRP_1))
  func bounds() throws {
    let coding = try #require(DayValueCode(.heartRate))
    let noise = noise(seed: 58)
    for _ in 0..<200 {
      var histogram = GroupHistogram(coding, .silent)
      for person in 0..<1_001 {
        let code = coding.code(of: person < 20 ? 40 : 40 + Double(person) / 300, with: 0)
        histogram.add(Double(code / 8), bin: Int(code % 8), draws: .zero)
      }
      let released = try #require(histogram.released(with: noise))
      #expect((1_000...1_101).contains(released.people))
      #expect(coding.range.contains(released.mean))
      #expect(released.standardDeviation >= 0)
      #expect(released.percentiles == released.percentiles.sorted())
      #expect(released.percentiles.allSatisfy { coding.range.contains($0) })
      #expect(released.bins.allSatisfy { (0...1).contains($0.share) })
      #expect(histogram.released(with: noise, shownPeople: 1_230)?.people == 1_230)
    }
  }
}
