import Accounts
import Data4HelpFixture
import Domain
import EventLoop
import Foundation
import HTTP
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Web

@Suite("Push subscriptions that change concurrently", .tags(.NTF_2))
struct PushRaceTests {
  private func with(
    _ body: @escaping @Sendable (SingleRequestStage, PushReceiver) async throws -> Void
  ) async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        try await stage.store(1)
        try await body(stage, receiver)
      }
    }
  }

  @Test("a notice is stored without waiting for a subscription that is being deleted")
  func deletedDuringNotice() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("gone")))
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("phone")))
      let deletion = try stage.installation.data.session()
      try deletion.run(
        """
        BEGIN;
        DELETE FROM data4help.push_subscriptions
         WHERE subscription_id = (SELECT max(subscription_id::text)::uuid
                                    FROM data4help.push_subscriptions)
        """)
      _ = try await stage.ask()
      try deletion.run("COMMIT")
      #expect(try await stage.noticeData(Known.mario, .singleUser).count == 1)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "1")
    }
  }

  @Test("the call of a hospital is stored without waiting for such a subscription")
  func deletedDuringCall() async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        try await stage.hospital(Known.clinic, at: "45.4642,9.1900")
        _ = try await stage.subscribe(
          PushBrowser(receiver.endpoint("clinic")), by: Known.clinic, .thirdParty)
        let deletion = try stage.installation.data.session()
        try deletion.run("BEGIN; DELETE FROM data4help.push_subscriptions")
        _ = try await stage.calledEmergency()
        try deletion.run("COMMIT")
        #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      }
    }
  }

  @Test("a session that ends while a subscription waits for its account stores none")
  func endedWhileStoring() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("mario"))
      _ = try await stage.subscribe(browser)
      let end = try stage.installation.data.session()
      try end.run(
        """
        BEGIN;
        SELECT FROM data4help.accounts WHERE account_id = \(Known.mario) FOR NO KEY UPDATE;
        DELETE FROM data4help.push_subscriptions;
        UPDATE data4help.sessions SET ended_at = now()
        """)
      async let stored = stage.call(
        .storePushSubscription, browser.body(), by: Known.mario, .singleUser)
      try await stage.untilLockIsAwaited()
      try end.run("COMMIT")
      let reply = try await stored
      #expect((reply.status, reply["error"]) == (401, "Wrong token"))
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "0")
    }
  }

  @Test("a session that is unknown stores no subscription")
  func unknownSession() async throws {
    try await with { stage, receiver in
      let browser = PushBrowser(receiver.endpoint("mario"))
      let reply = try await stage.call(
        .storePushSubscription, browser.body(), by: Known.mario, .singleUser)
      #expect(reply.status == 401)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "0")
    }
  }

  @Test("a logout deletes a subscription that is being stored")
  func storedDuringLogout() async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      // As a call that stores another subscription, before its commit.
      let storing = try stage.installation.data.session()
      try storing.run(
        """
        BEGIN;
        SELECT FROM data4help.accounts WHERE account_id = \(Known.mario) FOR NO KEY UPDATE;
        INSERT INTO data4help.push_subscriptions (
               account_id, subscription_id, endpoint_blind, session_hash, kinds, sealed_endpoint,
               created_at)
        SELECT account_id, gen_random_uuid(), 'other', session_hash, kinds, sealed_endpoint,
               created_at
          FROM data4help.push_subscriptions
        """)
      async let logout = stage.call(.logout, by: Known.mario, .singleUser)
      try await stage.untilLockIsAwaited()
      try storing.run("COMMIT")
      #expect(try await logout.status == 200)
      #expect(try stage.cell("SELECT count(*) FROM data4help.push_subscriptions") == "0")
    }
  }

  @Test("of stages of an emergency that wait together, the last one is sent", .tags(.SOS_1))
  func waitingStages() async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        let browser = PushBrowser(receiver.endpoint("mario"))
        _ = try await stage.subscribe(browser)
        try await stage.measure("131")
        #expect(try await stage.stages(1) == ["suspected"])
        #expect(try await stage.call(.disableSOS, by: Known.mario, .singleUser).status == 200)
        #expect(try await stage.stages(2) == ["suspected", "aborted"])
        #expect(try await stage.pushOnce() == 2)
        #expect(receiver.messages.count == 1)
        let document = try browser.open(try #require(receiver.messages.first))
        let text = try #require(document["text"] as? String)
        #expect(!text.hasPrefix("Emergenza: puoi annullarla"), "\(text)")
        #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      }
    }
  }

  @Test(
    "a repeated alarm is sent beside that of another emergency, and dropped for a later stage",
    .tags(.SOS_1))
  func otherEmergency() async throws {
    try await PushReceiver.with { receiver in
      try await SingleRequestStage.with { stage in
        try await stage.populateEmergencies()
        let browser = PushBrowser(receiver.endpoint("mario"))
        _ = try await stage.subscribe(browser)
        receiver.answer { _ in Response(HTTPStatus(503)) }
        try await stage.measure("131")
        #expect(try await stage.stages(1) == ["suspected"])
        #expect(try await stage.pushOnce() == 1)
        let first = try #require(receiver.messages.last?.fields["topic"])
        try await stage.upload([("fall", "1", 0)])
        _ = try await stage.stages(2)
        #expect(try await stage.pushOnce() == 1)
        let second = try #require(receiver.messages.last?.fields["topic"])
        #expect(first != second)
        let tried = receiver.messages.count
        stage.clock.advance(seconds: 12)
        #expect(try await stage.pushOnce() == 2)
        let repeated = receiver.messages.dropFirst(tried).compactMap { $0.fields["topic"] }
        #expect(Set(repeated) == [first, second])
        // The first emergency ends: its last message replaces the warning. For the second one the
        // time to abort is over.
        receiver.answer { _ in Response(HTTPStatus(201)) }
        #expect(try await stage.call(.disableSOS, by: Known.mario, .singleUser).status == 200)
        _ = try await stage.stages(3)
        stage.clock.advance(seconds: 72)
        #expect(try await stage.pushOnce() == 3)
        #expect(receiver.messages.count == tried + 4)
        #expect(try stage.cell("SELECT count(*) FROM data4help.push_messages") == "0")
      }
    }
  }

  @Test(
    "the message of a killed process is sent by another one: an urgent one after 20 s, else 60 s",
    .tags(.SOS_1), arguments: [(true, 20), (false, 60)])
  func killed(_ isUrgent: Bool, _ seconds: Int64) async throws {
    try await with { stage, receiver in
      _ = try await stage.subscribe(PushBrowser(receiver.endpoint("mario")))
      try stage.queueCalls(1, isUrgent: isUrgent)
      // The push service answers after the process has lost its lease.
      let isAnswering = DispatchSemaphore(value: 0)
      receiver.answer { _ in
        isAnswering.wait()
        isAnswering.signal()
        return Response(HTTPStatus(201))
      }
      defer { isAnswering.signal() }
      let leased = try await stage.here { try await stage.push.value.claim() }
      #expect(leased == 1)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        other.clock.advance(seconds: seconds - 1)
        let early = try await other.here { try await other.push.value.claim() }
        #expect(early == 0)
        other.clock.advance(seconds: 1)
        let taken = try await other.here { try await other.push.value.claim() }
        #expect(taken == 1)
        isAnswering.signal()
        try await other.here { await other.push.value.settle() }
      }
      try await stage.here { await stage.push.value.settle() }
    }
  }
}
