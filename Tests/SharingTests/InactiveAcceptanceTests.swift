import Data4HelpFixture
import Domain
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing

@Suite("Acceptance of requests by inactive accounts", .tags(.ACC_9, .REQ_9))
struct InactiveAcceptanceTests {
  @Test("an inactive account accepts no request for data, but declines one", .tags(.R13))
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let once = try await stage.ask()
      let following = try await stage.subscribe()
      #expect(try await stage.choose(isActive: false).status == 200)
      try await stage.store(1, minutesAgo: 5, value: 80)
      for requestID in [once, following] {
        let reply = try await stage.choose("accept", requestID)
        #expect((reply.status, reply["error"]) == (409, "Wrong state"))
        #expect(try await stage.status(requestID) == "pending")
      }
      _ = try await stage.workers.relay()
      let samples = try stage.cell("SELECT count(*) FROM data4help.third_party_log WHERE kind = 1")
      #expect(samples == "0")
      #expect(try await stage.choose("decline", once).status == 200)
      // The errors of the request itself come first.
      #expect(try await stage.choose("accept", once).status == 403)
      #expect(try await stage.choose(isActive: true).status == 200)
      #expect(try await stage.choose("accept", following).status == 200)
    }
  }

  @Test("samples of the inactive time reach requests accepted afterwards only", .tags(.R14))
  func acceptedAfterwards() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let former = try await stage.subscribe(by: Known.studio)
      #expect(try await stage.choose("accept", former).status == 200)
      let following = try await stage.subscribe()
      #expect(try await stage.choose(isActive: false).status == 200)
      try await stage.store(1, minutesAgo: 5, value: 80)
      #expect(try await stage.choose(isActive: true).status == 200)
      let once = try await stage.ask()
      for requestID in [following, once] {
        #expect(try await stage.choose("accept", requestID).status == 200)
        let stored = try await stage.data(requestID).list("samples")
        #expect(stored.map { $0["value"] as? Int } == [60, 80])
      }
      _ = try await stage.workers.relay()
      let followed = try await stage.data(former, by: Known.studio).list("samples")
      #expect(followed.map { $0["value"] as? Int } == [60])
    }
  }

  @Test("an acceptance waits for a change of the state, and follows its outcome")
  func concurrentChange() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.subscribe()
      let change = try stage.installation.data.session()
      try change.run(
        """
        BEGIN;
        UPDATE data4help.accounts SET state = 3 WHERE account_id = \(Known.mario)
        """)
      async let accepted = stage.choose("accept", requestID)
      try await stage.untilLockIsAwaited()
      try change.run("COMMIT")
      let reply = try await accepted
      #expect((reply.status, reply["error"]) == (409, "Wrong state"))
      #expect(try await stage.status(requestID) == "pending")
    }
  }
}
