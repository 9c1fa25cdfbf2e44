import Data4HelpFixture
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("The session of a call that adds a device or a key")
struct SessionCheckTests {
  @Test(
    "a session that ends meanwhile pairs no device and creates no key", .tags(.NFR_5),
    arguments: [1, 2])
  func endedMeanwhile(kind: Int) async throws {
    try await HealthDataTest.run { test in
      let owner = try await test.newOwner(kind)
      let code = kind == 1 ? try await test.start()["code"] as? String : nil
      // As a change of the password, which deletes devices and keys.
      let change = try test.data.session()
      try change.run(
        """
        BEGIN;
        SELECT FROM data4help.accounts WHERE account_id = \(owner) FOR NO KEY UPDATE;
        UPDATE data4help.sessions SET ended_at = now()
        """)
      async let reply =
        kind == 1
        ? test.confirm(code, as: owner, #","accept":true"#)
        : test.devices(.createKey, #"{"name":"nightly"}"#, as: owner)
      try await test.data.untilLockIsAwaited()
      try change.run("COMMIT")
      #expect(try await reply.status == 401)
      #expect(try test.value(Self.made) == "0")
    }
  }

  /// The number of devices and keys.
  private static let made: StaticString = """
    SELECT ((SELECT count(*) FROM data4help.devices)
            + (SELECT count(*) FROM data4help.program_keys))::text
    """

  @Test(
    "a session that is unknown pairs no device and creates no key", .tags(.NFR_5),
    arguments: [1, 2])
  func unknownSession(kind: Int) async throws {
    try await HealthDataTest.run { test in
      let owner = try await test.newOwner(kind)
      let code = kind == 1 ? try await test.start()["code"] as? String : nil
      try test.data.run("DELETE FROM data4help.sessions")
      let reply =
        try await kind == 1
        ? test.confirm(code, as: owner, #","accept":true"#)
        : test.devices(.createKey, #"{"name":"nightly"}"#, as: owner)
      #expect(reply.status == 401)
      #expect(try test.value(Self.made) == "0")
    }
  }
}
