import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing
import Time

/// Changes that something other than an upload of this process makes between two of its uploads.
private enum Change: CaseIterable {
  case laterUpload
  case erasure
  case type
  case pause
  case deletion
}

extension HealthDataTest {
  /// The samples as another process of the service stores them.
  fileprivate var otherProcess: SampleStore {
    SampleStore(parts.dependencies.healthRecords, recent: RecentAccounts())
  }

  fileprivate func upload(_ time: String, to account: AccountID) async throws -> AppendOutcome {
    try await samples.upload(try heartRates(1, from: "2026-03-14T\(time)Z"), to: account)
  }

  fileprivate func apply(_ change: Change, to account: AccountID) async throws {
    switch change {
    case .laterUpload:
      let later = try heartRates(1, from: "2026-03-14T09:10:00Z")
      #expect(try await otherProcess.upload(later, to: account).stored == 1)
    case .erasure:
      let query = "type=heartRate&from=2026-03-14T09:00:30Z"
      #expect(try await erase(query, as: account) == 2)
    case .type:
      let answer = try await call(
        .chooseImportedTypes, body: #"{"types":["heartRate"],"enabled":[false]}"#, as: account)
      #expect(answer.status == 200)
    case .pause:
      let body = #"{"until":"2026-03-17T00:00:00Z"}"#
      #expect(try await call(.pauseCollection, body: body, as: account).status == 200)
    case .deletion:
      try data.run("DELETE FROM data4help.sample_accounts WHERE account_id = \(account)")
      try data.run("DELETE FROM data4help.chunks WHERE account_id = \(account)")
      try data.run("DELETE FROM data4help.month_dirty WHERE account_id = \(account)")
      try data.run("DELETE FROM data4help.accounts WHERE account_id = \(account)")
    }
  }
}

@Suite("Uploads of accounts that the process remembers")
struct RecentAccountsTests {
  @Test(
    "an account is read and locked for the first uploads of a day, and after a lost connection",
    .tags(.R7))
  func unread() async throws {
    try await HealthDataTest.run { test in
      // Before the first connection, which the role's setting applies to.
      let log = try StatementLog(of: test.data, role: "data4help")
      let account = try await test.newAccount()
      for minute in 10..<13 { _ = try await test.upload("09:\(minute):00", to: account) }
      let start = try log.length()
      for minute in 13..<30 {
        #expect(try await test.upload("09:\(minute):00", to: account).stored == 1)
      }
      let statements = try log.statements(from: start)
      #expect(statements.count { $0.hasPrefix("WITH advanced AS") } == 17)
      #expect(!statements.contains { $0.hasPrefix("SELECT account_id, next_seq") })
      #expect(!statements.contains { $0.contains("day_heads") })
      #expect(!statements.contains { $0.hasPrefix("BEGIN") })
      try await test.checkBooks(of: account)
      #expect(try await test.everything(of: account).map(\.sample.sequence) == Array(1...20))
      try test.data.run(
        """
        SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity
         WHERE usename = 'data4help' AND datname = current_database()
        """)
      try await eventually("a new connection") {
        do { return try await test.samples.lastSequence(of: account) == 20 } catch { return false }
      }
      let loss = try log.length()
      #expect(try await test.upload("09:30:00", to: account).stored == 1)
      let reads = try log.statements(from: loss)
      #expect(reads.count { $0.hasPrefix("SELECT account_id, next_seq") } == 1)
    }
  }

  @Test(
    "what changed an account since its last upload is obeyed", .tags(.R7, .DAT_7, .DAT_8),
    arguments: Change.allCases)
  fileprivate func changed(_ change: Change) async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let bystander = try await test.newAccount()
      for minute in 0..<3 {
        for account in [account, bystander] {
          #expect(try await test.upload("09:0\(minute):00", to: account).stored == 1)
        }
      }
      try await test.apply(change, to: account)
      // Both are in one batch.
      async let other = test.upload("09:05:00", to: bystander)
      async let next = test.upload("09:05:00", to: account)
      switch change {
      case .laterUpload:
        #expect(try await next.stored == 1)
        #expect(try await test.upload("09:10:00", to: account).duplicates == 1)
        #expect(
          try await test.everything(of: account).map(\.sample.sequence) == Array(1...5))
      case .erasure:
        #expect(try await next.stored == 1)
        #expect(try await test.everything(of: account).map(\.sample.sequence) == [1, 4])
        #expect(try await test.upload("09:02:00", to: account).stored == 1)
      case .type: #expect(try await next.disabled == 1)
      case .pause: #expect(try await next.paused == 1)
      case .deletion:
        do {
          _ = try await next
          Issue.record("a deleted account stored a sample")
        } catch let error as ApplicationError {
          #expect(error.reason == .notFound)
        }
        #expect(try test.value("SELECT count(*) FROM data4help.chunks") == "1")
        // The samples are of a day that is over, so that a count for groups is due.
        let marks = "SELECT count(DISTINCT account_id) FROM data4help.month_dirty" as StaticString
        #expect(try test.value(marks) == "1")
      }
      #expect(try await other.stored == 1)
      if change != .deletion { try await test.checkBooks(of: account) }
      try await test.checkBooks(of: bystander)
    }
  }

  @Test("an almost full day that was read but not changed is not packed from memory", .tags(.R7))
  func readOnly() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      let (phone, watch) = (1, 2) as (Int32, Int32)
      func sample(
        _ type: DataType, _ value: Double, _ time: String, from device: Int32
      ) throws -> NewSample {
        NewSample(
          type: type, time: try Instant("2026-03-15T\(time)Z"), device: device,
          value: try SampleValue(value, of: type))
      }
      // The last part of the day is so full that another small block fits, but no large one.
      func bytes() throws -> Int {
        try #require(Int(try test.value("SELECT octet_length(data) FROM data4help.chunks") ?? ""))
      }
      var count = 0
      func add(_ samples: Int) async throws {
        let new = try (count..<count + samples).map {
          let second = String($0 + 100).dropFirst()
          return try sample(.heartRate, 70, "08:\(second):00", from: watch)
        }
        #expect(try await test.samples.upload(new, to: account).stored == samples)
        count += samples
      }
      try await add(1)
      let blockBytes = try bytes()
      while try bytes() < 1_820 - 2 * blockBytes { try await add(1) }
      let rest = try 1_820 - bytes() - blockBytes
      try await add(rest)
      #expect(1_812...1_834 ~= (try bytes()))
      let step = try sample(.steps, 10, "09:00:00", from: phone)
      #expect(try await test.samples.upload([step], to: account).stored == 1)
      // The watch alone provides heart rates.
      try test.data.run(
        """
        UPDATE data4help.sample_accounts SET assigned_types = '\\x0200000002'
         WHERE account_id = \(account)
        """)
      let both = [
        try sample(.steps, 10, "09:01:00", from: phone),
        try sample(.heartRate, 70, "09:01:00", from: phone),
      ]
      let outcome = try await test.samples.upload(both, to: account)
      #expect(outcome.stored == 1)
      #expect(outcome.disabled == 1)
      let elsewhere = try sample(.heartRate, 70, "09:10:00", from: watch)
      #expect(try await test.otherProcess.upload([elsewhere], to: account).stored == 1)
      // Its many digits take more bytes than are left.
      let large = try sample(.heartRate, 70.123_456_789, "09:11:00", from: watch)
      #expect(try await test.samples.upload([large], to: account).stored == 1)
      #expect(try await test.everything(of: account).count == count + 4)
      try await test.checkBooks(of: account)
    }
  }

  @Test("a position of a switched-off type does not become the last place", .tags(.DAT_8))
  func place() async throws {
    try await HealthDataTest.run { test in
      let account = try await test.newAccount()
      for minute in 0..<2 {
        let time = "2026-03-14T09:0\(minute):00Z"
        try await test.upload([("position", "45.1,9.1", time)], as: account)
      }
      let places = "SELECT string_agg(cell::text, '') FROM data4help.last_cells" as StaticString
      let before = try test.value(places)
      #expect(before != nil)
      let off = #"{"types":["position"],"enabled":[false]}"#
      #expect(try await test.call(.chooseImportedTypes, body: off, as: account).status == 200)
      try await test.upload([("position", "41.9,12.5", "2026-03-14T10:30:00Z")], as: account)
      #expect(try test.value(places) == before)
      #expect(try await test.everything(of: account).count == 2)
    }
  }

  private static func sample(_ number: Int64) throws -> NewSample {
    NewSample(
      type: .heartRate, time: try Instant("2026-03-14T00:00:00Z").adding(seconds: number * 40),
      value: try SampleValue(Double(60 + number % 40), of: .heartRate))
  }

  @Test(
    "uploads to two processes in any order store each sample once", .tags(.R7),
    arguments: [1, 2, 3] as [UInt64])
  func twoProcesses(seed: UInt64) async throws {
    try await HealthDataTest.run { test in
      var random = SeededRandom(seed: seed)
      let other = test.otherProcess
      var accounts: [AccountID] = []
      for _ in 0..<6 { accounts.append(try await test.newAccount()) }
      var expected: [AccountID: Set<Int64>] = [:]
      for _ in 0..<80 {
        var uploads: [(account: AccountID, store: SampleStore, first: Int64, count: Int)] = []
        for account in accounts where Int.random(in: 0..<3, using: &random) > 0 {
          let store = Int.random(in: 0..<4, using: &random) == 0 ? other : test.samples
          // Mostly later ones, like those of a device, some of them late or repeated.
          let isLate = Int.random(in: 0..<8, using: &random) == 0
          let last = expected[account]?.max() ?? 0
          let first = isLate ? Int64.random(in: 0...last, using: &random) : last + 1
          let count = Int.random(in: 1...3, using: &random)
          uploads.append((account, store, first, count))
          expected[account, default: []].formUnion((0..<Int64(count)).map { first + $0 })
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for upload in uploads {
            group.addTask {
              let samples = try (0..<upload.count).map { try Self.sample(upload.first + Int64($0)) }
              let outcome = try await upload.store.upload(samples, to: upload.account)
              #expect(outcome.stored + outcome.duplicates == upload.count)
            }
          }
          try await group.waitForAll()
        }
      }
      for account in accounts {
        let all = try await test.everything(of: account).map(\.sample)
        #expect(all.count == expected[account]?.count)
        #expect(Set(all.map(\.time)).count == all.count)
        #expect(all.map(\.sequence) == all.indices.map { Int64($0 + 1) })
        try await test.checkBooks(of: account)
      }
    }
  }
}
