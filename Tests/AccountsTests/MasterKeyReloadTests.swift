import Accounts
import Cryptography
import Data4HelpFixture
import Domain
import EventLoop
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Reading the master keys again")
struct MasterKeyReloadTests {
  private func reported(_ test: TestDatabase) throws -> String? {
    try test.cell("SELECT array_to_string(identifiers, ' ') FROM key_readers")
  }

  private func names(_ ring: MasterKeyRing) -> String {
    ring.identifiers.map(\.description).joined(separator: " ")
  }

  /// The name of the master key that wraps the key of an account.
  private func masterKey(of account: Int64, _ test: TestDatabase) throws -> Substring {
    let found = try test.cell(
      """
      SELECT encode(substring(wrapped_key FROM 2 FOR 8), 'hex') FROM account_keys
       WHERE account_id = $1
      """, "\(account)")
    return try #require(found)[...]
  }

  @Test(
    "a running process uses a replaced file, reports it, and refuses a foreign one", .tags(.OPS_6))
  func reload() async throws {
    try await withTemporaryDirectory(reload(in:))
  }

  private func reload(in directory: String) async throws {
    let former = MasterKeyRing.random()
    let file = MasterKeyFile(path: directory + "/master.key")
    try FileSystem.writeAtomically(
      file.path, KeyFile.text(of: former).withBytes { span in span.indices.map { span[$0] } })
    try await TestDatabase.with(.keys) { test in
      let loop = try EventLoop.start(name: "reload")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let database = Database(test.settings(as: "data4help"), on: loop)
        defer { database.close() }
        let keys = AccountKeys(
          database: database, masterKeys: former, environment: .system, on: loop, log: .none,
          metrics: Metrics())
        let settings = try Settings.load(
          arguments: [], environment: ["TRACKME_STATE": "/nowhere"]
        ).settings
        let reload = MasterKeyReload(
          file: file, keys: [keys],
          checks: try KeyChecks(
            settings, root: .random(), in: database, masterKeys: (former, database),
            now: Environment.system.now),
          database: database
        ).follower(of: former, on: loop, log: .none)
        await reload.turn()
        #expect(try reported(test) == names(former))
        _ = try await keys.make(for: AccountID(rawValue: 1))
        #expect(try masterKey(of: 1, test) == names(former).prefix(16))

        let rotated = try former.rotated()
        try file.write(rotated)
        await reload.turn()
        #expect(try reported(test) == names(rotated))
        _ = try await keys.make(for: AccountID(rawValue: 2))
        #expect(try masterKey(of: 2, test) == names(rotated).prefix(16))

        try file.write(.random())
        await reload.turn()
        #expect(try reported(test) == names(rotated))
        _ = try await keys.make(for: AccountID(rawValue: 3))
        #expect(try masterKey(of: 3, test) == names(rotated).prefix(16))
      }.value
    }
  }
}
