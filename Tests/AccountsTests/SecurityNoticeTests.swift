import Cryptography
import Data4HelpFixture
import Domain
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Security notices")
struct SecurityNoticeTests {
  @Test("calls carry both signatures until the overlap of a rotation is over", .tags(.REQ_2))
  func overlap() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        let first = try #require(try await stage.register(endpoint)["secret"])
        let rotated = try await stage.rotate(overlap: 60)
        let second = try #require(rotated["secret"])
        try await stage.test()
        stage.clock.advance(seconds: 59)
        try await stage.test()
        stage.clock.advance(seconds: 1)
        try await stage.test()
        let calls = try await endpoint.calls(3)
        func signed(by secret: String) throws -> [Bool] {
          let secret = try WebhookSecret(secret.utf8.span)
          return calls.map {
            secret.verify(
              header: $0.signature, identifier: $0.id, timestamp: Int64($0.timestamp) ?? 0,
              body: $0.body.span)
          }
        }
        #expect(try signed(by: first) == [true, true, false])
        #expect(try signed(by: second) == [true, true, true])
        #expect(try await stage.rotate(overlap: 0)["previousUntil"] == nil)
        #expect(
          try stage.cell("SELECT count(sealed_previous_secret) FROM data4help.callbacks") == "0")
      }
    }
  }

  @Test("each change of a callback causes a notice and a mail, an unchanged one does not")
  func callbacks() async throws {
    try await CallbackReceiver.with { endpoint in
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        func notified() throws -> String? {
          try stage.cell(
            """
            SELECT (SELECT count(*) FROM data4help.notices WHERE kind = 5 AND mail_at IS NULL)
                   || ' ' || (SELECT count(*) FROM data4help.mails)
            """)
        }
        #expect(try await stage.delete().status == 200)
        #expect(try await stage.rotate(overlap: 60).status == 404)
        #expect(try notified() == "0 0")
        #expect(try await stage.register(endpoint).status == 200)
        #expect(try await stage.rotate(overlap: 60).status == 200)
        #expect(try await stage.delete().status == 200)
        #expect(try notified() == "3 3")
        let refused = try await stage.call(
          .storeCallback, "{\"url\":\"http://10.0.0.1/\"}", by: Known.clinic, .thirdParty)
        #expect(refused.status == 400)
        #expect(try notified() == "3 3")
      }
    }
  }

  @Test("keys and pairings succeed without a readable address, and cause notices")
  func damagedAddress() async throws {
    try await HealthDataTest.run { test in
      // The sealed addresses of these accounts are unreadable.
      let anna = try await test.newOwner()
      let acme = try await test.newOwner(2)
      _ = try await test.pair(anna)
      let made = try await test.devices(.createKey, #"{"name":"nightly"}"#, as: acme)
      #expect(made.status == 200)
      #expect(
        try test.value("SELECT count(*)::text FROM data4help.notices WHERE kind = 5") == "2")
      #expect(try test.value("SELECT count(*)::text FROM data4help.mails") == "0")
    }
  }
}

extension SingleRequestStage {
  fileprivate func rotate(overlap seconds: Int) async throws -> Reply {
    try await call(
      .rotateCallbackSecret, "{\"overlap\":\(seconds)}", by: Known.clinic, .thirdParty)
  }

  fileprivate func delete() async throws -> Reply {
    try await call(.deleteCallback, by: Known.clinic, .thirdParty)
  }

  /// Calls the endpoint once, outside the sequence.
  fileprivate func test() async throws {
    let reply = try await call(.testCallback, by: Known.clinic, .thirdParty)
    #expect(reply.status == 200, "\(reply.text)")
  }
}
