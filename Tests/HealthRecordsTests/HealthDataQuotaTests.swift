import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Quota for samples")
struct HealthDataQuotaTests {
  @Test(
    "beyond the quota the oldest samples are dropped, never the newest, and reported", .tags(.DAT_5)
  )
  func oldestMakeWay() async throws {
    try await HealthDataTest.run(bytesMax: 8_000) { test in
      let account = try await test.newAccount()
      var stored = 0
      var dropped = 0
      for hour in 0..<60 {
        let start = try Instant("2026-03-01T00:00:00Z").adding(seconds: Int64(hour) * 3600)
        let samples = try heartRates(200, from: start.description, everySeconds: 7)
        let outcome = try await test.samples.upload(samples, to: account)
        #expect(outcome.stored == 200)
        stored += outcome.stored
        dropped += outcome.dropped
        let last = try await test.everything(of: account).map(\.sample.time).max()
        #expect(last == samples.last?.time)
      }
      let all = try await test.everything(of: account)
      #expect(dropped > 0)
      #expect(all.count == stored - dropped)
      #expect(all.map(\.sample.sequence).max() == Int64(stored))
      let oldest = try #require(all.map(\.sample.time).min())
      let quota = try await test.call(.quota, as: account).object
      #expect(quota["bytesMax"] as? Int == 8_000)
      #expect(try #require(quota["bytesUsed"] as? Int) <= 8_000)
      #expect(quota["oldest"] as? String == oldest.description)
      try await test.checkBooks(of: account)
    }
  }

  @Test("the loss of oldest samples is reported, at most once a day", .tags(.DAT_5))
  func notified() async throws {
    try await HealthDataTest.run(bytesMax: 300) { test in
      let account = try await test.newAccount()
      func notices() async throws -> [[String: Any]] {
        try await test.call(.notices, as: account).object["items"] as? [[String: Any]] ?? []
      }
      var dropped = 0
      for hour in 10..<34 {
        let time = try Instant("2026-02-01T00:00:00Z").adding(seconds: Int64(hour) * 86_400)
        let key = hour.isMultiple(of: 2) ? nil : "hour-\(hour)"
        if dropped == 0 { #expect(try await notices().isEmpty) }
        let answer = try await test.upload(
          [("heartRate", "71", time.description)], as: account, idempotencyKey: key)
        dropped += try #require(answer.object["dropped"] as? Int)
      }
      #expect(dropped > 2)
      let notified = try await notices()
      #expect(notified.compactMap { $0["kind"] as? String } == ["room"])
      #expect((notified.first?["data"] as? [String: Any])?["bytesMax"] as? Int == 300)
    }
  }

  @Test("a quota of exactly the stored size drops nothing, a byte less does", .tags(.DAT_5))
  func bothSides() async throws {
    let first = try heartRates(50, from: "2026-03-14T08:00:00Z", everySeconds: 7)
    let second = try heartRates(50, from: "2026-03-15T08:00:00Z", everySeconds: 7)
    func dropped(_ bytesMax: Int64) async throws -> (Int, Int64) {
      try await HealthDataTest.run(bytesMax: bytesMax) { test in
        let account = try await test.newAccount()
        _ = try await test.samples.upload(first, to: account)
        let outcome = try await test.samples.upload(second, to: account)
        let used = try await test.call(.quota, as: account).object["bytesUsed"] as? Int
        return (outcome.dropped, Int64(used ?? -1))
      }
    }
    let (none, used) = try await dropped(1_000_000)
    #expect(none == 0)
    #expect(try await dropped(used).0 == 0)
    #expect(try await dropped(used - 1).0 == 50)
  }

  @Test("types whose samples were all dropped are no longer available", .tags(.R22))
  func typesGo() async throws {
    try await HealthDataTest.run(bytesMax: 200) { test in
      let account = try await test.newAccount()
      try await test.upload([("weight", "70", "2026-03-01T08:00:00Z")], as: account)
      let samples = try heartRates(150, from: "2026-03-14T08:00:00Z", everySeconds: 7)
      let outcome = try await test.samples.upload(samples, to: account)
      #expect(outcome.dropped == 1)
      #expect(
        try await test.samples.availableTypes(of: account) == DataTypeSet([.heartRate]))
    }
  }

  @Test("an account without samples uses no quota", .tags(.DAT_5))
  func empty() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let quota = try await test.call(.quota, as: account).object
      #expect(quota["bytesUsed"] as? Int == 0)
      #expect(quota["bytesMax"] as? Int == 10_000_000)
      #expect(quota["oldest"] is NSNull)
    }
  }
}

@Suite("Quota and imports")
struct HealthDataImportRoomTests {
  @Test("an import beyond the quota keeps the newest of all types and reports it", .tags(.DAT_5))
  func largeImport() async throws {
    try await HealthDataTest.run(bytesMax: 30_000) { test in
      let account = try await test.newAccount()
      let first = try Instant("2024-01-01T00:00:00Z")
      var samples: [NewSample] = []
      for index in 0..<20_000 {
        let type: DataType = index % 4 == 0 ? .steps : .heartRate
        let value = try SampleValue(Double(40 + index * 31 % 97), of: type)
        let time = first.adding(seconds: Int64(index) * 600)
        samples.append(NewSample(type: type, time: time, value: value))
      }
      let outcome = try await test.samples.append(samples, to: account)
      #expect(outcome.stored == 20_000)
      let left = try await test.everything(of: account)
      #expect(left.count == 20_000 - outcome.dropped)
      let oldest = try #require(left.map(\.sample.time).min())
      // Entire chunks are dropped, each of at most a day: after the oldest remaining day no sample
      // is missing.
      let safe = oldest.adding(seconds: 2 * 86_400)
      #expect(
        left.filter { $0.sample.time >= safe }.count == samples.filter { $0.time >= safe }.count)
      #expect(left.map(\.sample.time).max() == samples.last?.time)
      let used = try #require(
        try await test.call(.quota, as: account).object["bytesUsed"] as? Int)
      #expect(used <= 30_000 && used > 25_000)
      try await test.checkBooks(of: account)
    }
  }
}
