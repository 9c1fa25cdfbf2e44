import Accounts
import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

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
}
