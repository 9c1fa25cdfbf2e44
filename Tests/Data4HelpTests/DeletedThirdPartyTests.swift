import Data4HelpFixture
import Domain
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Testing

@Suite("Calls about a third party that is being deleted")
struct DeletedThirdPartyTests {
  @Test(
    "trusting it, a callback and its trial wait for the deletion, and then return 404",
    .tags(.ACC_8))
  func deletedMeanwhile() async throws {
    let calls: [@Sendable (SingleRequestStage, CallbackReceiver) async throws -> Int] = [
      { stage, _ in
        try await stage.call(
          .choosePreconfirmed, "{\"piva\":\"12345670157\",\"allowed\":true}", by: Known.mario,
          .singleUser
        ).status
      },
      { stage, endpoint in try await stage.register(endpoint).status },
      { stage, _ in
        try await stage.call(.testCallback, by: Known.clinic, .thirdParty).status
      },
    ]
    for call in calls {
      try await CallbackReceiver.with { endpoint in
        try await SingleRequestStage.with { stage in
          try await stage.populate()
          #expect(try await stage.register(endpoint).status == 200)
          let deletion = try stage.installation.data.session()
          try deletion.run(
            "BEGIN; DELETE FROM data4help.accounts WHERE account_id = \(Known.clinic)")
          async let status = call(stage, endpoint)
          try await stage.untilLockIsAwaited()
          try deletion.run("COMMIT")
          #expect(try await status == 404)
        }
      }
    }
  }
}
