import Data4Help
import Domain
import EventLoop
import HTTP
import PostgresFixture
import Privacy
import PublicAPI
import Requirements
import Services
import Testing

@Suite("Deletions that race with what their account does")
struct DeletionRaceTests {
  /// Rows of an account in every table of health data.
  private static func rows(of account: AccountID, _ test: HealthDataTest) throws -> String? {
    try test.value(
      """
      SELECT (SELECT count(*) FROM data4help.chunks WHERE account_id = $1::int8)
           + (SELECT count(*) FROM data4help.sample_accounts WHERE account_id = $1::int8)
           + (SELECT count(*) FROM data4help.month_dirty WHERE account_id = $1::int8)
           + (SELECT count(*) FROM data4help.imports WHERE account_id = $1::int8)
           + (SELECT count(*) FROM data4help.import_blocks WHERE account_id = $1::int8)
      """, account.description)
  }

  @Test(
    "uploads under way leave nothing once the deletion has answered", .tags(.ACC_8),
    arguments: [true, false])
  func uploads(hasSamples: Bool) async throws {
    try await HealthDataTest.run { test in
      for _ in 0..<6 {
        let account = try await test.newAccount()
        let first = try heartRates(20, from: "2026-01-10T00:00:00Z", everySeconds: 60)
        if hasSamples { _ = try await test.samples.upload(first, to: account) }
        try await withThrowingTaskGroup(of: Void.self) { group in
          for day in 0..<8 {
            group.addTask {
              let start = try Timestamp("2026-03-01T00:00:00Z").adding(
                seconds: Int64(day) * 86_400)
              let samples = try heartRates(60, from: start.description, everySeconds: 60)
              do throws(Problem) {
                _ = try await test.samples.upload(samples, to: account)
              } catch {
                // The account was gone by then.
                #expect(error.status == .notFound)
              }
            }
          }
          group.addTask { try await AccountDeletion(test.surroundings).delete(account) }
          try await group.waitForAll()
        }
        #expect(try Self.rows(of: account, test) == "0")
        await #expect(throws: Problem.notFound) {
          _ = try await test.samples.upload(first, to: account)
        }
        #expect(try Self.rows(of: account, test) == "0")
      }
    }
  }

  @Test("imports under way leave nothing, and none begins afterwards", .tags(.ACC_8, .DAT_6))
  func imports() async throws {
    try await HealthDataTest.run { test in
      let pieces = generatedExport(300_000)
      for _ in 0..<3 {
        let account = try await test.newAccount()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            _ = try await test.startImport(pieces, as: account)
            try await test.merge()
          }
          group.addTask { try await AccountDeletion(test.surroundings).delete(account) }
          try await group.waitForAll()
        }
        #expect(try Self.rows(of: account, test) == "0")
      }
    }
  }

  @Test("answers that were kept for repetitions go with their account", .tags(.ACC_8))
  func keptAnswers() async throws {
    try await HealthDataTest.run { test in
      let (account, other) = (try await test.newAccount(), try await test.newAccount())
      for account in [account, other] {
        try await test.upload(
          [("heartRate", "60", "2026-03-01T10:00:00Z")], as: account, idempotencyKey: "a key")
      }
      try await AccountDeletion(test.surroundings).delete(account)
      let left = try test.value(
        "SELECT string_agg(account_id::text, ' ') FROM data4help.idempotent_answers")
      #expect(left == other.description)
    }
  }

  @Test("requests sent while their person is deleted never outlive it", .tags(.ACC_8))
  func requests() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(5)
      let body = """
        {"email":"\(Known.marioEmail)","dataTypes":["heartRate"],"subscribing":false}
        """
      try await withThrowingTaskGroup(of: Void.self) { group in
        for company in [Known.clinic, Known.studio, Known.clinic, Known.studio] {
          group.addTask {
            let reply = try await stage.call(.sendSingle, body, by: company, .thirdParty)
            #expect([200, 401].contains(reply.status), "\(reply.text)")
          }
        }
        group.addTask {
          try await stage.here { try await AccountDeletion(stage.surroundings).delete(Known.mario) }
        }
        try await group.waitForAll()
      }
      let live = try stage.cell("SELECT count(*) FROM data4help.single_requests WHERE status = 1")
      #expect(live == "0")
    }
  }

  @Test("another replica forgets the key of a deleted account", .tags(.ACC_8, .NFR_5))
  func replicas() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await SingleRequestStage.replica(of: stage.installation) { other in
        _ = try await other.surroundings.accountKeys.key(of: Known.mario)
        try await stage.here { try await AccountDeletion(stage.surroundings).delete(Known.mario) }
        // Still in memory: the look at the ledger is what takes it away.
        _ = try await other.surroundings.accountKeys.key(of: Known.mario)
        try await KeyForgetting(other.surroundings).turn()
        await #expect(throws: Problem.notFound) {
          _ = try await other.surroundings.accountKeys.key(of: Known.mario)
        }
        _ = try await other.surroundings.accountKeys.key(of: Known.laura)
      }
    }
  }
}
