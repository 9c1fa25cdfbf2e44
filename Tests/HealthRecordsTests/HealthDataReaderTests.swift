import Data4HelpFixture
import Domain
import HealthRecords
import PostgresFixture
import Requirements
import Testing
import Time

@Suite("Reading samples by number")
struct HealthDataReaderTests {
  @Test("samples are selected by number, type and time, the lowest number first", .tags(.R14))
  func selection() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let start = try Instant("2026-03-13T00:00:00Z")
      let types: [DataType] = [.heartRate, .steps, .weight]
      var samples: [NewSample] = []
      for index in 0..<300 {
        let type = types[index % 3]
        let time = start.adding(seconds: Int64((index * 7919) % 200_000))
        let value = try SampleValue(Double(100 + index % 50), of: type)
        samples.append(NewSample(type: type, time: time, value: value))
      }
      for sample in samples { _ = try await test.samples.upload([sample], to: account) }
      let from = start.adding(seconds: 50_000)
      let to = start.adding(seconds: 150_000)
      var reader = try await test.samples.reader(
        SampleSelection(
          account: account, sequences: 20...280, types: DataTypeSet([.heartRate, .weight]),
          from: from, to: to))
      var found: [NumberedSample] = []
      while let page = try await reader.next() { found += page }
      let numbers = (20...280).filter { number in
        let sample = samples[number - 1]
        return sample.type != .steps && sample.time >= from && sample.time < to
      }
      #expect(found.map { Int($0.sample.sequence) } == numbers)
      #expect(found.map(\.sample.time) == numbers.map { samples[$0 - 1].time })
      #expect(found.map(\.type) == numbers.map { samples[$0 - 1].type })
    }
  }

  @Test("a large account is read in pages, over gaps left by dropped samples")
  func pages() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = try heartRates(50_000, from: "2026-03-10T00:00:00Z", everySeconds: 5)
      let outcome = try await test.samples.append(samples, to: account)
      #expect(outcome.stored == 50_000)
      try test.data.run(
        "DELETE FROM data4help.chunks WHERE first_seq BETWEEN 5000 AND 40000")
      var reader = try await test.samples.reader(
        SampleSelection(account: account, sequences: 1...50_000, types: .all))
      var sizes: [Int] = []
      var last: Int64 = 0
      while let page = try await reader.next() {
        sizes.append(page.count)
        #expect(try #require(page.first).sample.sequence > last)
        last = try #require(page.last).sample.sequence
      }
      #expect(last == 50_000)
      #expect(sizes.allSatisfy { $0 > 0 && $0 <= Int(SampleReader.pageNumbersMax) })
      let left = try #require(
        try test.value("SELECT sum(n) FROM data4help.chunks").flatMap(Int.init))
      #expect(sizes.reduce(0, +) == left)
    }
  }

  @Test(
    "an import merges with stored samples: duplicates, disabled types and late data", .tags(.DAT_6))
  func merging() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = try heartRates(30_000, from: "2026-03-01T00:00:00Z", everySeconds: 30)
      for index in stride(from: 0, to: 30_000, by: 300) {
        _ = try await test.samples.upload([samples[index]], to: account)
      }
      let first = try await test.samples.append(Array(samples[..<20_000]), to: account)
      #expect(first.stored == 20_000 - 67)
      #expect(first.duplicates == 67)
      let second = try await test.samples.append(samples, to: account)
      #expect(second.stored == 10_000 - 33)
      #expect(second.duplicates == 20_000 + 33)
      let all = try await test.everything(of: account)
      #expect(all.map(\.sample.sequence) == Array(1...30_000))
      #expect(Set(all.map(\.sample.time)) == Set(samples.map(\.time)))
      try await test.checkBooks(of: account)
    }
  }

  @Test("an account without samples has no number, no type and no data to read")
  func empty() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      #expect(try await test.samples.lastSequence(of: account) == 0)
      #expect(try await test.samples.availableTypes(of: account).isEmpty)
      #expect(try await test.everything(of: account).isEmpty)
      #expect(try await test.everything(of: account, types: .none).isEmpty)
      let outcome = try await test.samples.append([], to: account)
      #expect(outcome == AppendOutcome())
    }
  }
}
