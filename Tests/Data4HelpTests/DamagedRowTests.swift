import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import JSON
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import ServiceKit
import Sharing
import Testing

@Suite("Corrupt rows")
struct DamagedRowTests {
  /// Inverts the keys of Laura and of the clinic; a second call restores them.
  private static func damageKeys(of stage: SingleRequestStage) throws {
    try stage.installation.keys.run(
      """
      UPDATE account_keys
         SET wrapped_key = set_byte(wrapped_key, 20, get_byte(wrapped_key, 20) # 1)
       WHERE account_id IN (\(Known.laura), \(Known.clinic))
      """)
  }

  @Test("a damaged key affects no other account's notices, streams and names", .tags(.NTF_1))
  func key() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await Self.notify([Known.mario, Known.laura], by: stage)
      try Self.damageKeys(of: stage)
      // A replica without a key in memory.
      try await SingleRequestStage.replica(of: stage.installation) { other in
        let names = try await other.here {
          try await other.parts.dependencies.directory.thirdParties([Known.clinic, Known.studio])
            .mapValues(\.companyName)
        }
        #expect(names == [Known.studio: "Studio"])
        let lauras = try await other.open(
          .accountStream, by: Known.laura, .singleUser, after: 0)
        let marios = try await other.open(
          .accountStream, by: Known.mario, .singleUser, after: 0)
        #expect(try await marios.events(1).map(\.number) == [1])
        try await Self.notify([Known.mario, Known.laura], by: other)
        #expect(try await marios.events(2).map(\.number) == [1, 2])
        #expect(await lauras.events().isEmpty)
        // The sealed data is intact, and is read once the key is restored.
        try Self.damageKeys(of: other)
        #expect(try await lauras.events(1).map(\.number) == [1])
        lauras.close()
        marios.close()
      }
    }
  }

  private static func notify(
    _ accounts: [AccountID], by stage: SingleRequestStage
  ) async throws {
    try await stage.here {
      try await stage.parts.database.transaction { (transaction) throws(ApplicationError) in
        try await stage.parts.notices.add(
          accounts.map { Notice(.security, to: $0) { $0.field("event", "test") } },
          in: transaction)
      }
      stage.parts.notices.announce()
    }
  }

  @Test("an unreadable notice delays no later notice", .tags(.NTF_1))
  func notice() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for _ in 0..<2 { try await Self.notify([Known.mario], by: stage) }
      try stage.run("UPDATE data4help.notices SET sealed_payload = 'x' WHERE number = 1")
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser, after: 0)
      #expect(try await stream.events(1).map(\.number) == [2])
      stream.close()
      let items = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(items.compactMap { $0["id"] as? Int } == [2])
    }
  }

  @Test(
    "unreadable samples stop only the streams that would deliver them",
    .tags(.REQ_2))
  func samples() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      // A day before, so that they are in another row.
      for account in [Known.mario, Known.laura] {
        try await stage.store(1, for: account, minutesAgo: 2_000)
      }
      let requestID = try await stage.subscribe()
      _ = try await stage.choose("accept", requestID)
      let lauras = try await stage.send(
        """
        {"email":"\(Known.lauraEmail)","dataTypes":["heartRate"],"subscribing":true,\
        "duration":3600}
        """, by: Known.studio)
      let other = try #require(lauras["reqID"])
      _ = try await stage.choose("accept", other, by: Known.laura)
      for account in [Known.mario, Known.laura] {
        try await stage.store(2, for: account, minutesAgo: 1)
      }
      _ = try await stage.workers.relay()
      let damage = """
        UPDATE data4help.chunks SET data = set_byte(data, 20, get_byte(data, 20) # 1)
         WHERE account_id = \(Known.mario)
           AND day = (SELECT max(day) FROM data4help.chunks)
        """
      try stage.run(damage)
      let clinics = try await stage.open(
        .thirdPartyStream, by: Known.clinic, .thirdParty, after: 0)
      let studios = try await stage.open(
        .thirdPartyStream, by: Known.studio, .thirdParty, after: 0)
      #expect(try await studios.events(3).map(\.name) == ["data", "answer", "data"])
      #expect(try await clinics.events(2).map(\.name) == ["data", "answer"])
      for since in 0...1 {
        let page = try await stage.call(
          .thirdPartyEvents, query: "since=\(since)", by: Known.clinic, .thirdParty)
        #expect(page.list("events").compactMap { $0["seq"] as? Int } == [since + 1])
        #expect(page.object["more"] as? Bool == true)
      }
      let after = try await stage.call(
        .thirdPartyEvents, query: "since=2", by: Known.clinic, .thirdParty)
      #expect(after.status == 500)
      try stage.run(damage)
      #expect(try await clinics.events(3).map(\.name) == ["data", "answer", "data"])
      clinics.close()
      studios.close()
    }
  }
}
