import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Postgres
import PublicAPI
import Requirements
import Support
import Testing
import Time

extension HealthDataTest {
  /// Erases, and returns the number of erased samples in the answer.
  func erase(_ query: String = "", as account: AccountID) async throws -> Int? {
    let answer = try await call(.eraseSamples, query, as: account)
    #expect(answer.object["message"] as? String == "Action successful")
    return answer.object["deleted"] as? Int
  }

  /// The used bytes reported by the quota.
  func bytesUsed(by account: AccountID) async throws -> Int? {
    try await call(.quota, as: account).object["bytesUsed"] as? Int
  }
}

@Suite("Deleting one's own samples")
struct ErasingTests {
  @Test("all samples are deleted, the quota is free, and a repetition deletes none", .tags(.DAT_7))
  func everything() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let other = try await test.newAccount()
      #expect(try await test.erase(as: account) == 0)
      for account in [account, other] {
        _ = try await test.samples.append(
          try heartRates(5_000, from: "2026-02-01T00:00:00Z", everySeconds: 60), to: account)
        try await test.upload([("position", "45.1,9.1", "2026-02-01T08:00:00Z")], as: account)
      }
      let used = try #require(try await test.bytesUsed(by: account))
      let answer = try await test.call(.eraseSamples, as: account).object
      #expect(answer["deleted"] as? Int == 5_001)
      #expect(answer["bytesFreed"] as? Int == used)
      #expect(try await test.bytesUsed(by: account) == 0)
      #expect(try await test.everything(of: account).isEmpty)
      #expect(try await test.samples.availableTypes(of: account).isEmpty)
      #expect(try await test.erase(as: account) == 0)
      #expect(try await test.everything(of: other).count == 5_001)
      // Numbers continue from the previous ones, so that no reader sees a number twice.
      try await test.upload([("steps", "1", "2026-02-01T08:00:00Z")], as: account)
      #expect(try await test.everything(of: account).map(\.sample.sequence) == [5_002])
      try await test.checkBooks(of: account)
    }
  }

  @Test("a misspelt filter deletes nothing", .tags(.DAT_7))
  func misspelt() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("steps", "1", "2026-02-01T08:00:00Z")], as: account)
      let refusal = try await test.call(.eraseSamples, "types=steps", as: account)
      #expect(refusal.status == 400)
      #expect(try await test.everything(of: account).count == 1)
      #expect(try await test.erase("type=steps", as: account) == 1)
    }
  }

  @Test(
    "any period of any type is deleted to the millisecond, from sealed chunks",
    .tags(.DAT_7), arguments: [1, 2, 3] as [UInt64])
  func periods(seed: UInt64) async throws {
    try await HealthDataTest.run { test in
      var generator = SeededRandom(seed: seed)
      let account = try await test.newAccount()
      let first = try Instant("2026-03-08T20:00:00Z")
      var expected: Set<NewSample> = []
      for _ in 0..<12 {
        var samples: [NewSample] = []
        for _ in 0..<Int.random(in: 1...400, using: &generator) {
          let type: DataType = Bool.random(using: &generator) ? .steps : .heartRate
          let number = Double(Int.random(in: 200...2_000, using: &generator)) / 10
          let time = first.adding(
            milliseconds: Int64.random(in: 0...(3 * 86_400_000), using: &generator))
          samples.append(
            NewSample(type: type, time: time, value: try SampleValue(number, of: type)))
        }
        _ = try await test.samples.upload(samples, to: account)
        expected.formUnion(samples)

        let ends = [0, 1].map { _ in Int64.random(in: 0...(3 * 86_400_000), using: &generator) }
        let from = first.adding(milliseconds: ends.min() ?? 0)
        let to = first.adding(milliseconds: (ends.max() ?? 0) / 2)
        guard from < to else { continue }
        let gone = expected.filter { $0.type == .steps && $0.time >= from && $0.time < to }
        let deleted = try await test.erase("type=steps&from=\(from)&to=\(to)", as: account)
        #expect(deleted == gone.count, "seed \(seed)")
        expected.subtract(gone)
        let left = try await test.everything(of: account)
        #expect(Set(left.map(NewSample.init)) == expected, "seed \(seed)")
        #expect(left.count == expected.count, "seed \(seed)")
        try await test.checkBooks(of: account)
      }
    }
  }

  @Test("after a partial deletion a repeated upload of the rest is all duplicates", .tags(.DAT_7))
  func duplicatesAfterwards() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      // Fills chunks out of order: late samples take their own part.
      let day = try heartRates(3_000, from: "2026-03-10T06:00:00Z", everySeconds: 7)
      _ = try await test.samples.upload(day, to: account)
      let late = try heartRates(2_500, from: "2026-03-10T00:00:00Z", everySeconds: 8)
      _ = try await test.samples.upload(late, to: account)
      _ = try await test.erase("type=heartRate&from=2026-03-10T09:00:00Z", as: account)
      let limit = try Instant("2026-03-10T09:00:00Z")
      let left = (day + late).filter { $0.time < limit }
      #expect(try await test.everything(of: account).count == Set(left).count)
      let again = try await test.samples.upload(left, to: account)
      #expect(again.stored == 0)
      try await test.checkBooks(of: account)
    }
  }

  @Test("uploads during an erasure lose no sample", .tags(.DAT_7))
  func concurrent() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let old = try heartRates(2_000, from: "2026-01-10T00:00:00Z", everySeconds: 60)
      _ = try await test.samples.append(old, to: account)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for hour in 0..<24 {
          group.addTask {
            let start = try Instant("2026-03-10T00:00:00Z").adding(seconds: Int64(hour) * 3_600)
            for samples in try heartRates(60, from: start.description, everySeconds: 60).chunked(20)
            {
              #expect(try await test.samples.upload(samples, to: account).stored == 20)
            }
          }
        }
        for _ in 0..<12 {
          group.addTask {
            _ = try await test.erase("to=2026-03-01T00:00:00Z", as: account)
          }
        }
        try await group.waitForAll()
      }
      let left = try await test.everything(of: account)
      #expect(left.count == 24 * 60)
      #expect(Set(left.map(\.sample.sequence)).count == left.count)
      try await test.checkBooks(of: account)
    }
  }

  @Test("a period that ends before it begins, or an unknown type, deletes nothing", .tags(.DAT_7))
  func refused() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      try await test.upload([("steps", "1", "2026-02-01T08:00:00Z")], as: account)
      for (query, field) in [
        ("type=mood", "type"), ("from=yesterday", "from"),
        ("from=2026-02-02T00:00:00Z&to=2026-02-01T00:00:00Z", "to"),
      ] {
        let answer = try await test.call(.eraseSamples, query, as: account)
        #expect(answer.status == 400)
        #expect(answer["field"] == field)
      }
      #expect(try await test.everything(of: account).count == 1)
    }
  }

  @Test("an ended pause is not shown, a current one is", .tags(.DAT_8))
  func pause() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      func pause(_ until: String) async throws -> Reply {
        try await test.call(.pauseCollection, body: "{\"until\":\(until)}", as: account)
      }
      func shown() async throws -> String? {
        try await test.call(.readImportedTypes, as: account).object["pausedUntil"] as? String
      }
      let sample = [("steps", "9", "2026-03-15T09:00:00Z")]
      #expect(try await shown() == nil)
      let answer = try await pause("\"2026-03-15T12:30:00+01:00\"")
      #expect(answer.object["pausedUntil"] as? String == "2026-03-15T11:30:00Z")
      #expect(try await shown() == "2026-03-15T11:30:00Z")
      #expect(try await test.upload(sample, as: account).counts == [0, 0, 0, 1, 0])
      #expect(try await pause("null").object["pausedUntil"] is NSNull)
      #expect(try await shown() == nil)
      #expect(try await test.upload(sample, as: account).counts == [1, 0, 0, 0, 0])
      _ = try await pause("\"2026-03-15T11:30:00Z\"")
      try test.clock.move(to: "2026-03-15T11:30:00Z")
      #expect(try await shown() == nil)
    }
  }

  @Test("a pause ends in the future, at most 366 days ahead", .tags(.DAT_8))
  func pauseLimits() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for (until, status) in [
        ("\"2026-03-15T11:00:00Z\"", 400), ("\"2026-03-15T11:00:00.001Z\"", 200),
        ("\"2027-03-16T11:00:00Z\"", 200), ("\"2027-03-16T11:00:00.001Z\"", 400),
        ("\"soon\"", 400), ("7", 400),
      ] {
        let body = "{\"until\":\(until)}"
        let answer = try await test.call(.pauseCollection, body: body, as: account)
        #expect(answer.status == status, "until \(until)")
        if status == 400 { #expect(answer["field"] == "until") }
      }
      let empty = try await test.call(.pauseCollection, body: "{}", as: account)
      #expect(empty["field"] == "until")
    }
  }

  @Test("imports during a pause store nothing, and report it", .tags(.DAT_8))
  func pausedImport() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      _ = try await test.call(
        .pauseCollection, body: #"{"until":"2026-04-01T00:00:00Z"}"#, as: account)
      let done = try await test.wholeImport(generatedExport(100_000), as: account)
      let samples = try #require(done.object["samples"] as? Int)
      #expect(done.importCounts == [samples, 0, 0, 0, samples, 0])
      #expect(try await test.everything(of: account).isEmpty)
    }
  }
}

extension NewSample {
  /// The expected sample for a stored one.
  fileprivate init(_ stored: NumberedSample) {
    self.init(
      type: stored.type, time: stored.sample.time, device: stored.sample.device,
      value: stored.sample.value)
  }
}

extension Array {
  fileprivate func chunked(_ count: Int) -> [[Element]] {
    stride(from: 0, to: self.count, by: count).map {
      Array(self[$0..<Swift.min($0 + count, self.count)])
    }
  }
}
