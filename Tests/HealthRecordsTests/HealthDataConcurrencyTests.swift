import Data4HelpFixture
import Domain
import HealthRecords
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Synchronization
import Testing

/// A count of uploads that succeeded or failed.
private final class EndedUploads: Sendable {
  private let ended = Atomic(0)
  var count: Int { ended.load(ordering: .acquiring) }
  func end() { ended.add(1, ordering: .releasing) }
}

@Suite("Concurrent uploads")
struct HealthDataConcurrencyTests {
  @Test(
    "32 uploads of overlapping data store each sample once, without gaps or duplicates", .tags(.R7))
  func overlapping() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = try heartRates(640, from: "2026-03-14T22:30:00Z", everySeconds: 11)
      let outcomes = try await withThrowingTaskGroup(of: AppendOutcome.self) { group in
        for index in 0..<32 {
          let part = Array(samples[max(0, index * 20 - 10)..<min(640, index * 20 + 30)])
          group.addTask { try await test.samples.upload(part, to: account) }
        }
        return try await group.reduce(into: AppendOutcome()) { $0 += $1 }
      }
      #expect(outcomes.stored == 640)
      let all = try await test.everything(of: account)
      #expect(all.map(\.sample.sequence) == Array(1...640))
      #expect(Set(all.map(\.sample.time)).count == 640)
      try await test.checkBooks(of: account)
    }
  }

  @Test(
    "a reader that continues from the last number sees every sample exactly once",
    .tags(.REQ_2))
  func following() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let samples = try heartRates(600, from: "2026-03-14T21:00:00Z", everySeconds: 13)
      let uploadCount = 600 / 20
      let uploads = EndedUploads()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for start in stride(from: 0, to: 600, by: 20) {
          let part = Array(samples[start..<start + 20])
          group.addTask {
            defer { uploads.end() }
            // One half through the writer, the other over separate connections, as from another
            // replica.
            let outcome =
              start % 40 == 0
              ? try await test.samples.upload(part, to: account)
              : try await test.samples.append(part, to: account)
            #expect(outcome.stored == 20)
          }
        }
        group.addTask {
          var seen: [Int64] = []
          var isLast = false
          while !isLast {
            // One more pass after the end of all uploads reads the rest.
            isLast = uploads.count == uploadCount
            var reader = try await test.samples.reader(
              SampleSelection(
                account: account, sequences: (seen.last ?? 0) + 1...(.max), types: .all))
            while let page = try await reader.next() { seen += page.map(\.sample.sequence) }
          }
          #expect(seen == Array(1...600))
        }
        try await group.waitForAll()
      }
      try await test.checkBooks(of: account)
    }
  }

  @Test("full chunks of many accounts are packed in the batch that finds them full", .tags(.R9))
  func fullChunks() async throws {
    try await HealthDataTest.run { test in
      var accounts: [AccountID] = []
      for _ in 0..<20 { accounts.append(try await test.newAccount()) }
      var transactions: [Int] = []
      for round in 0..<60 {
        let samples = try heartRates(
          1, from: "2026-03-15T10:\(String(round + 100).dropFirst()):00Z", everySeconds: 1)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for account in accounts {
            group.addTask {
              let outcome = try await test.samples.upload(samples, to: account)
              #expect(outcome.stored == 1)
            }
          }
          try await group.waitForAll()
        }
        if try test.value("SELECT sum(blocks) FROM data4help.chunks") == "20", round > 0 {
          let count = try test.value("SELECT count(DISTINCT xmin::text) FROM data4help.chunks")
          transactions.append(try #require(count.flatMap { Int($0) }))
        }
      }
      try #require(transactions.count == 1)
      // Alone each upload would have a transaction of its own.
      #expect(transactions[0] <= 10)
      for account in accounts {
        try await test.checkBooks(of: account)
        #expect(try await test.everything(of: account).map(\.sample.sequence) == Array(1...60))
      }
    }
  }

  @Test(
    "many accounts in the same batches, some of them deleted, do not affect each other", .tags(.R9))
  func manyAccounts() async throws {
    try await HealthDataTest.run { test in
      var accounts: [AccountID] = []
      for _ in 0..<100 { accounts.append(try await test.newAccount()) }
      let gone = AccountID(rawValue: 7)
      for round in 0..<4 {
        let samples = try heartRates(
          3, from: "2026-03-15T0\(round):00:00Z", everySeconds: 30)
        let stored = try await withThrowingTaskGroup(of: Int.self) { group in
          for account in accounts {
            group.addTask { try await test.samples.upload(samples, to: account).stored }
          }
          await #expect(throws: ApplicationError.notFound) {
            try await test.samples.upload(samples, to: gone)
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(stored == accounts.map { _ in 3 })
      }
      for account in accounts.prefix(5) {
        #expect(try await test.everything(of: account).map(\.sample.sequence) == Array(1...12))
        try await test.checkBooks(of: account)
      }
    }
  }

  @Test("an upload whose stored chunk is damaged fails alone")
  func damaged() async throws {
    try await HealthDataTest.run { test in
      let (broken, whole) = (try await test.newAccount(), try await test.newAccount())
      let first = try heartRates(2, from: "2026-03-15T08:00:00Z")
      for account in [broken, whole] { _ = try await test.samples.upload(first, to: account) }
      try test.data.run(
        """
        UPDATE data4help.chunks SET data = set_byte(data, 20, get_byte(data, 20) # 1)
         WHERE account_id = \(broken)
        """)
      async let one = test.upload([("heartRate", "60", "2026-03-15T08:00:00.5Z")], as: broken)
      async let other = test.upload([("heartRate", "60", "2026-03-15T08:00:00.5Z")], as: whole)
      #expect(try await one.status == 500)
      #expect(try await other.counts == [1, 0, 0, 0, 0])
    }
  }
}
