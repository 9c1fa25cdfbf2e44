import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Time

@Suite("Statistics and series")
struct HealthDataStatisticsTests {
  @Test("statistics equal those computed by PostgreSQL from the same values", .tags(.R16, .R17))
  func differential() async throws {
    try await HealthDataTest.run { test in
      var generator = SeededRandom()
      let account = try await test.newAccount()
      let first = try Instant("2026-02-01T00:00:00Z")
      var samples: [NewSample] = []
      for index in 0..<2000 {
        let time = first.adding(
          seconds: Int64(index) * 1200 + .random(in: 0..<600, using: &generator))
        let value = Double(Int.random(in: 400...2000, using: &generator)) / 10
        samples.append(
          NewSample(type: .heartRate, time: time, value: try SampleValue(value, of: .heartRate)))
      }
      for start in stride(from: 0, to: samples.count, by: 50) {
        _ = try await test.samples.upload(Array(samples[start..<start + 50]), to: account)
      }
      for (from, to) in [
        ("2026-02-03T10:20:30.500Z", "2026-02-20T01:02:03Z"),
        ("1970-01-01T00:00:00Z", "2030-01-01T00:00:00Z"),
        ("2026-02-03T10:20:30Z", "2026-02-03T12:00:00Z"),
      ] {
        let answer = try await test.call(
          .statistics, "from=\(from)&to=\(to)&types=heartRate,position", as: account)
        let found = try #require(answer.list("dataTypes").first)
        let (begin, end) = (try Instant(from), try Instant(to))
        let inside = samples.filter { $0.time >= begin && $0.time < end }
        let values = inside.map { $0.value.text(of: .heartRate) }.joined(separator: ",")
        let expected = try #require(
          try test.data.session().rows(
            """
            SELECT count(v), avg(v), percentile_cont(0.5) WITHIN GROUP (ORDER BY v),
                   percentile_cont(0.05) WITHIN GROUP (ORDER BY v),
                   percentile_cont(0.25) WITHIN GROUP (ORDER BY v),
                   percentile_cont(0.75) WITHIN GROUP (ORDER BY v),
                   percentile_cont(0.95) WITHIN GROUP (ORDER BY v),
                   var_samp(v), stddev_samp(v), stddev_samp(v) / sqrt(count(v)), min(v), max(v)
              FROM unnest($1::float8[]) AS v
            """, ["{\(values)}"]
          ).first)
        let names = [
          "count", "mean", "median", "p5", "p25", "p75", "p95", "variance", "stddev", "stderr",
          "min", "max",
        ]
        for (name, text) in zip(names, expected) {
          let ours = try #require(found[name] as? Double)
          let theirs = try #require(text.flatMap(Double.init))
          #expect(abs(ours - theirs) <= 1e-9 * max(1, abs(theirs)), "\(name)")
        }
        let newest = try #require(inside.map(\.time).max())
        #expect(found["date"] as? Int == test.parts.zone.day(of: newest).daysSince1970)
        #expect(found["unit"] as? String == "BPM")
      }
    }
  }

  @Test("with one sample the spread is null, and the answer reports too few", .tags(.R16))
  func tooFew() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("weight", "70.5", "2026-03-15T08:00:00Z")], as: account)
      let found = try #require(
        try await test.call(.statistics, as: account).list("dataTypes").first)
      #expect(found["tooFew"] as? Bool == true)
      #expect(found["variance"] is NSNull)
      #expect(found["stderr"] is NSNull)
      #expect(found["median"] as? Double == 70.5)
      #expect(found["p95"] as? Double == 70.5)
      try await test.upload([("weight", "71", "2026-03-15T09:00:00Z")], as: account)
      let two = try #require(
        try await test.call(.statistics, as: account).list("dataTypes").first)
      #expect(two["tooFew"] == nil)
      #expect(two["variance"] as? Double == 0.125)
    }
  }

  @Test("without samples there are no statistics, and a period that runs backwards is 400")
  func empty() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let none = try await test.call(.statistics, as: account)
      #expect(none.status == 200)
      #expect(none.list("dataTypes").isEmpty)
      let backwards = try await test.call(
        .statistics, "from=2026-03-15T08:00:00Z&to=2026-03-15T07:59:59Z", as: account)
      #expect(backwards["field"] == "to")
    }
  }

  @Test("a raw series is ordered oldest first, in pages without gaps", .tags(.R15, .R17))
  func raw() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = try heartRates(25_000, from: "2026-03-14T20:00:00Z", everySeconds: 2)
      _ = try await test.samples.append(Array(samples[12_000...]), to: account)
      _ = try await test.samples.append(Array(samples[..<13_000]), to: account)
      var times: [String] = []
      var query = "type=heartRate&granularity=raw"
      var sizes: [Int] = []
      while true {
        let answer = try await test.call(.series, query, as: account)
        let points = answer.list("points")
        sizes.append(points.count)
        times += points.compactMap { $0["time"] as? String }
        guard let next = answer.object["next"] as? String else { break }
        query = "type=heartRate&cursor=\(next)"
      }
      #expect(sizes == [10_000, 10_000, 5_000])
      #expect(times == samples.map(\.time.description))
      let wrong = try await test.call(
        .series, query.replacingOccurrences(of: "heartRate", with: "steps"), as: account)
      #expect(wrong["field"] == "cursor")
      let forged = try await test.call(.series, "type=heartRate&cursor=abc", as: account)
      #expect(forged["field"] == "cursor")
    }
  }

  @Test("positions and codes have a raw series of texts, and no other", .tags(.R15))
  func texts() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("position", "45.5,9.25", "2026-03-15T08:00:00Z")], as: account)
      let answer = try await test.call(.series, "type=position", as: account)
      #expect(answer.list("points").first?["value"] as? String == "45.5,9.25")
      #expect(answer.object["unit"] as? String == "lat,lon")
      let hourly = try await test.call(.series, "type=position&granularity=hour", as: account)
      #expect(hourly["field"] == "granularity")
    }
  }

  @Test(
    "a coarser series follows the days of the zone across clock changes",
    .tags(.R15, .R17))
  func buckets() async throws {
    try await HealthDataTest.run { test in
      try test.clock.move(to: "2026-11-15T12:00:00Z")
      let account = try await test.newAccount()
      // Clocks go back on 2026-10-25 at 03:00 to 02:00: that day has 25 hours.
      let first = try Instant("2026-10-23T22:00:00Z")
      let samples = try (0..<96).map { index in
        NewSample(
          type: .heartRate, time: first.adding(seconds: Int64(index) * 3600),
          value: try SampleValue(Double(60 + index), of: .heartRate))
      }
      for sample in samples { _ = try await test.samples.upload([sample], to: account) }
      func points(_ granularity: String, _ more: String = "") async throws -> [[String: Any]] {
        try await test.call(
          .series, "type=heartRate&granularity=\(granularity)\(more)", as: account
        ).list("points")
      }
      let days = try await points("day")
      #expect(days.map { $0["count"] as? Int } == [24, 25, 24, 23])
      #expect(
        days.map { $0["time"] as? String } == [
          "2026-10-23T22:00:00Z", "2026-10-24T22:00:00Z", "2026-10-25T23:00:00Z",
          "2026-10-26T23:00:00Z",
        ])
      #expect(days[1]["mean"] as? Double == 96)
      #expect(days[1]["min"] as? Double == 84)
      #expect(days[1]["max"] as? Double == 108)
      #expect(try await points("hour").count == 96)
      #expect(try await points("week").map { $0["count"] as? Int } == [49, 47])
      #expect(try await points("month").map { $0["count"] as? Int } == [96])
      let part = try await points("day", "&from=2026-10-24T21:30:00Z&to=2026-10-25T00:00:00Z")
      #expect(part.map { $0["count"] as? Int } == [2])
    }
  }
}
