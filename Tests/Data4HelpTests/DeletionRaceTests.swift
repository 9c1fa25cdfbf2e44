import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Support
import Testing
import Time
import trackme_lab

@Suite("Deletions that race with other operations of their account")
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
    "concurrent uploads leave no data once the deletion has answered", .tags(.ACC_8),
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
              let start = try Instant("2026-03-01T00:00:00Z").adding(
                seconds: Int64(day) * 86_400)
              let samples = try heartRates(60, from: start.description, everySeconds: 60)
              do throws(ApplicationError) {
                _ = try await test.samples.upload(samples, to: account)
              } catch {
                // The account was deleted by then.
                #expect(error.reason == .notFound)
              }
            }
          }
          group.addTask { try await AccountDeletion(test.parts.sharing).delete(account) }
          try await group.waitForAll()
        }
        #expect(try Self.rows(of: account, test) == "0")
        await #expect(throws: ApplicationError.notFound) {
          _ = try await test.samples.upload(first, to: account)
        }
        #expect(try Self.rows(of: account, test) == "0")
      }
    }
  }

  @Test("concurrent imports leave no data, and none begins afterwards", .tags(.ACC_8))
  func imports() async throws {
    try await HealthDataTest.run { test in
      let pieces = Array(
        sequence(state: AppleHealthExport(bytes: 300_000, seed: 1)) { $0.next() })
      for _ in 0..<3 {
        let account = try await test.newAccount()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            _ = try await test.startImport(pieces, as: account)
            try await test.merge()
          }
          group.addTask { try await AccountDeletion(test.parts.sharing).delete(account) }
          try await group.waitForAll()
        }
        #expect(try Self.rows(of: account, test) == "0")
      }
    }
  }

  @Test("answers stored for repetitions are deleted with their account", .tags(.ACC_8))
  func keptAnswers() async throws {
    try await HealthDataTest.run { test in
      let (account, other) = (try await test.newAccount(), try await test.newAccount())
      for account in [account, other] {
        try await test.upload(
          [("heartRate", "60", "2026-03-01T10:00:00Z")], as: account, idempotencyKey: "a key")
      }
      try await AccountDeletion(test.parts.sharing).delete(account)
      let left = try test.value(
        "SELECT string_agg(account_id::text, ' ') FROM data4help.idempotent_answers")
      #expect(left == other.description)
    }
  }

  @Test("requests sent during the deletion of their person never outlive it", .tags(.ACC_8))
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
          try await stage.here {
            try await AccountDeletion(stage.parts.sharing).delete(Known.mario)
          }
        }
        try await group.waitForAll()
      }
      let live = try stage.cell("SELECT count(*) FROM data4help.single_requests WHERE status = 1")
      #expect(live == "0")
    }
  }

  @Test("after a concurrent acceptance and deletion no data can be read", .tags(.ACC_8))
  func acceptances() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.addCompany(Known.clinic, "12345670157", "Clinic")
      for round in 0..<8 {
        let person = AccountID(rawValue: Int64(100 + round))
        try await stage.addPerson(person, Known.marioEmail, Known.marioCode)
        try await stage.store(3, for: person)
        let requestID = try await stage.ask()
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask {
            let reply = try await stage.choose("accept", requestID, by: person)
            #expect([200, 403, 404, 503].contains(reply.status), "\(reply.text)")
          }
          group.addTask {
            try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(person) }
          }
          try await group.waitForAll()
        }
        #expect(try await stage.data(requestID).status == 409)
        let status = try await stage.status(requestID)
        #expect(["expired", "ended"].contains(status))
        let left = try stage.cell("SELECT count(*) FROM data4help.sample_accounts")
        #expect(left == "0")
      }
    }
  }

  @Test("a file being sent stops when the deletion of its person answers", .tags(.ACC_8))
  func downloads() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.addCompany(Known.clinic, "12345670157", "Clinic")
      try await stage.watched {
        for round in 0..<4 {
          let person = AccountID(rawValue: Int64(100 + round))
          try await stage.addPerson(person, Known.marioEmail, Known.marioCode)
          try await stage.store(25_000, for: person, minutesAgo: 10)
          let requestID = try await stage.ask()
          #expect(try await stage.choose("accept", requestID, by: person).status == 200)
          let file = try await stage.open(
            .deliveredData, by: Known.clinic, .thirdParty,
            query: "reqID=\(requestID)&format=ndjson")
          try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(person) }
          let count = await file.byteCount()
          try await eventually("the end of the file", within: .seconds(120)) { file.isOver }
          #expect(await file.byteCount() == count)
          #expect(try await stage.data(requestID, format: "ndjson").status == 409)
        }
      }
    }
  }

  @Test(
    "after concurrent logins and a deletion no session stays, and no mail is sent", .tags(.ACC_8))
  func logins() async throws {
    try await AuthenticationStage.with { stage in
      for _ in 0..<6 {
        let mario = try await stage.person()
        let password = try #require(Sent.mario["password"])
        let body = Sent.json(["password": password, "confirm": "DELETE"])
        try await withThrowingTaskGroup(of: Void.self) { group in
          for wrong in [false, true, false, true, true] {
            group.addTask {
              let reply = try await stage.login(
                password: wrong ? "not this one" : nil, replace: true)
              #expect([200, 401, 429, 503].contains(reply.status), "\(reply.text)")
            }
          }
          group.addTask {
            while true {
              let reply = try await stage.call(.deleteAccount, body, by: mario)
              if reply.status == 200 { return }
              // Three wrong passwords delay the owner too.
              #expect([429, 503].contains(reply.status), "\(reply.text)")
              stage.clock.advance(by: .seconds(60))
            }
          }
          try await group.waitForAll()
        }
        let open = try stage.data.cell(
          "SELECT count(*) FROM data4help.sessions WHERE ended_at IS NULL")
        #expect(open == "0")
        let waiting = try stage.data.cell(
          "SELECT count(*) FROM data4help.mails WHERE sent_at IS NULL")
        #expect(waiting == "0")
        #expect(try await stage.login().status != 200)
        stage.mailbox.skip()
        stage.clock.advance(by: .seconds(86_400))
      }
    }
  }

  @Test(
    "a deletion does not wait for a login that has locked its failures",
    .tags(.ACC_8))
  func lockOrder() async throws {
    try await AuthenticationStage.with { stage in
      let mario = try await stage.person()
      #expect(try await stage.login(password: "not this one").status == 401)
      let login = try stage.data.session()
      try login.run("BEGIN")
      let failures = try login.rows(
        "SELECT wrong_passwords FROM data4help.login_failures FOR UPDATE")
      #expect(failures == [["1"]])
      let password = try #require(Sent.mario["password"])
      let body = Sent.json(["password": password, "confirm": "DELETE"])
      #expect(try await stage.call(.deleteAccount, body, by: mario).status == 200)
      let accounts = try login.rows("SELECT FROM data4help.accounts FOR KEY SHARE")
      #expect(accounts.isEmpty)
    }
  }

  @Test(
    "a start replays a ledger of any length in pages, and changes only stored accounts",
    .tags(.ACC_8, .NFR_6))
  func ledger() async throws {
    try await SingleRequestStage.with { stage in
      try stage.installation.keys.run(
        "INSERT INTO deletions SELECT number, now() FROM generate_series(1, 12000) AS number")
      // Around the end of the first page, and at the very end.
      try await stage.addPerson(AccountID(rawValue: 5_000), Known.marioEmail, Known.marioCode)
      try await stage.addPerson(AccountID(rawValue: 5_001), Known.lauraEmail, Known.lauraCode)
      try await stage.addCompany(AccountID(rawValue: 12_000), "12345670157", "Clinic")
      try await stage.addCompany(AccountID(rawValue: 12_001), "00743110157", "Studio")
      try await stage.here {
        try await DeletionWorker(stage.parts.sharing).replayBeforeServing()
      }
      let left = try stage.cell("SELECT string_agg(account_id::text, ' ') FROM data4help.accounts")
      #expect(left == "12001")
      // One transaction for each of the three, and none for the others.
      #expect(try stage.cell("SELECT number FROM data4help.revocation_clock") == "3")
    }
  }

  @Test("another replica drops the key of a deleted account", .tags(.ACC_8))
  func replicas() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await SingleRequestStage.replica(of: stage.installation) { other in
        _ = try await other.parts.accountKeys.key(of: Known.mario)
        try await stage.here { try await AccountDeletion(stage.parts.sharing).delete(Known.mario) }
        // Still in memory: reading the ledger removes it.
        _ = try await other.parts.accountKeys.key(of: Known.mario)
        try await KeyForgetting(other.parts).turn()
        await #expect(throws: ApplicationError.notFound) {
          _ = try await other.parts.accountKeys.key(of: Known.mario)
        }
        _ = try await other.parts.accountKeys.key(of: Known.laura)
      }
    }
  }
}
