import Domain
import Requirements
import Support
import Testing
import Time

@Suite("statistics")
struct StatisticsTests {
  /// The definition of `percentile_cont`, by sorting.
  static func percentile(_ fraction: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    let rank = fraction * Double(sorted.count - 1)
    let low = sorted[Int(rank.rounded(.down))]
    let high = sorted[Int(rank.rounded(.up))]
    return low + (rank - rank.rounded(.down)) * (high - low)
  }

  static func isClose(_ left: Double, _ right: Double, _ tolerance: Double = 1e-9) -> Bool {
    abs(left - right) <= tolerance * max(1, abs(left), abs(right))
  }

  @Test("the summary of known numbers is PostgreSQL's", .tags(.R16))
  func known() throws {
    // SELECT percentile_cont(ARRAY[0.05,0.25,0.5,0.75,0.95]) …, var_samp, stddev_samp of 1..4.
    let summary = try #require(StatisticsSummary(of: [4, 1, 3, 2]))
    #expect(summary.moments.count == 4)
    #expect(summary.moments.mean == 2.5)
    #expect(summary.median == 2.5)
    #expect(Self.isClose(summary.p5, 1.15))
    #expect(summary.p25 == 1.75)
    #expect(summary.p75 == 3.25)
    #expect(Self.isClose(summary.p95, 3.85))
    #expect(Self.isClose(try #require(summary.moments.variance), 5.0 / 3))
    #expect(Self.isClose(try #require(summary.moments.standardDeviation), 1.2909944487358056))
    #expect(Self.isClose(try #require(summary.moments.standardError), 0.6454972243679028))
    #expect(summary.moments.min == 1)
    #expect(summary.moments.max == 4)
    #expect(!summary.tooFew)
  }

  @Test(
    "one sample has no spread and is too few, two are enough, none have no summary", .tags(.R16))
  func tooFew() throws {
    let one = try #require(StatisticsSummary(of: [72]))
    #expect(one.tooFew)
    #expect(one.median == 72 && one.p5 == 72 && one.p95 == 72)
    #expect(one.moments.variance == nil)
    #expect(one.moments.standardDeviation == nil)
    #expect(one.moments.standardError == nil)
    let two = try #require(StatisticsSummary(of: [72, 74]))
    #expect(!two.tooFew)
    #expect(two.moments.variance == 2)
    #expect(StatisticsSummary(of: []) == nil)
  }

  @Test("percentiles agree with sorting, for whole and fractional numbers of any size", .tags(.R16))
  func agreesWithSorting() throws {
    var random = SeededRandom()
    for round in 0..<400 {
      let count = Int.random(in: 1...(round % 10 == 0 ? 5000 : 300), using: &random)
      let values: [Double] = (0..<count).map { index in
        switch round % 5 {
        case 0: Double(Int.random(in: 40...180, using: &random))
        case 1: .random(in: -1000...1000, using: &random)
        case 2: Double(index)
        case 3: Double(count - index) + 0.5
        default: Double(Int.random(in: 0...3, using: &random)) / 2
        }
      }
      let summary = try #require(StatisticsSummary(of: values))
      #expect(summary.p5 == Self.percentile(0.05, of: values))
      #expect(summary.p25 == Self.percentile(0.25, of: values))
      #expect(summary.median == Self.percentile(0.5, of: values))
      #expect(summary.p75 == Self.percentile(0.75, of: values))
      #expect(summary.p95 == Self.percentile(0.95, of: values))
      #expect(summary.moments.min == values.min())
      #expect(summary.moments.max == values.max())
    }
  }

  @Test("an adverse order for the pivot is selected correctly", .tags(.R16))
  func organPipe() throws {
    let count = 20_000
    var pipes: [Double] = []
    var waves: [Double] = []
    var strides: [Double] = []
    for index in 0..<count {
      pipes.append(Double(min(index, count - index)) + 0.25)
      waves.append(Double(index % 7) + 0.25)
      strides.append(Double(index * 7919 % count) * 1.5)
    }
    for values in [pipes, waves, strides] {
      let summary = try #require(StatisticsSummary(of: values))
      #expect(summary.median == Self.percentile(0.5, of: values))
      #expect(summary.p95 == Self.percentile(0.95, of: values))
    }
  }

  @Test("moments computed one by one, at once and merged are equal", .tags(.R16))
  func merging() throws {
    var random = SeededRandom()
    for _ in 0..<100 {
      let values = (0..<Int.random(in: 2...500, using: &random)).map { _ in
        1e6 + Double.random(in: 0...1, using: &random)
      }
      let cut = Int.random(in: 0...values.count, using: &random)
      let whole = StatisticalMoments(of: values.span)
      var single = StatisticalMoments()
      for value in values { single.add(value) }
      let head = Array(values[..<cut])
      let tail = Array(values[cut...])
      var merged = StatisticalMoments(of: head.span)
      merged.merge(StatisticalMoments(of: tail.span))
      for other in [single, merged] {
        #expect(other.count == whole.count && other.min == whole.min && other.max == whole.max)
        #expect(Self.isClose(other.mean, whole.mean, 1e-12))
        #expect(
          Self.isClose(try #require(other.variance), try #require(whole.variance), 1e-6))
      }
    }
  }

  @Test("a large offset does not distort the spread", .tags(.R16))
  func stable() throws {
    let values = [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16]
    #expect(try #require(StatisticsSummary(of: values)).moments.variance == 30)
  }

  @Test("a series has a point for each unit with samples", .tags(.R15, .R17))
  func series() throws {
    let rome = try TimeZoneTests.rules("Europe/Rome")
    var builder = SeriesBuilder(.day, rules: rome)
    for (time, value) in [
      ("2024-03-30T23:30:00+01:00", 60.0), ("2024-03-31T00:00:00+01:00", 70),
      ("2024-03-31T23:59:59+02:00", 90), ("2024-04-02T00:00:00+02:00", 80),
    ] { builder.add(value, at: try Instant(time)) }
    let points = builder.finish()
    #expect(
      points.map(\.time.description) == [
        "2024-03-29T23:00:00Z", "2024-03-30T23:00:00Z", "2024-04-01T22:00:00Z",
      ])
    #expect(points.map(\.moments.count) == [1, 2, 1])
    #expect(points.map(\.moments.mean) == [60, 80, 80])
    #expect(points.map(\.moments.max) == [60, 90, 80])
  }

  @Test("a series of merged blocks equals the series of their samples", .tags(.R17))
  func mergedSeries() throws {
    let start = try Instant("2024-01-01T00:00:00Z")
    var single = SeriesBuilder(.week, rules: .utc)
    var merged = SeriesBuilder(.week, rules: .utc)
    for day in 0..<30 {
      let values = (0..<24).map { Double(60 + (day * 7 + $0) % 40) }
      for (hour, value) in values.enumerated() {
        single.add(value, at: start.adding(seconds: Int64(day * 24 + hour) * 3600))
      }
      merged.add(
        StatisticalMoments(of: values.span), at: start.adding(seconds: Int64(day) * 86_400))
    }
    let left = single.finish()
    let right = merged.finish()
    #expect(left.count == 5)
    #expect(left.map(\.time) == right.map(\.time))
    #expect(left.map(\.moments.count) == right.map(\.moments.count))
    #expect(left.map(\.moments.sum) == right.map(\.moments.sum))
  }
}
