import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Testing

@Suite("Names of keys in the databases")
struct KeyChecksTests {
  /// Both databases, and the keys that a process of data4help compares with them.
  private struct Stage: Sendable {
    let data: TestDatabase
    let keys: TestDatabase
    let database: Database
    let keysDatabase: Database

    /// The only cell that a query of the keys' database returns.
    func inKeys(_ query: StaticString) throws -> String? {
      try keys.session().rows(query).first?.first.flatMap(\.self)
    }

    func settings() throws -> Settings {
      try Settings.load(arguments: [], environment: ["TRACKME_STATE": "/nowhere"]).settings
    }

    /// The error with which a process with these files ends.
    func refusal(
      _ root: RootSecret, _ ring: MasterKeyRing, push: PushKey? = nil
    ) async throws -> String? {
      let checks = try KeyChecks(
        settings(), root: root, in: database, masterKeys: (ring, keysDatabase),
        pushKey: push, now: Environment.system.now)
      do throws(StartError) { try await checks.require() } catch { return error.description }
      return nil
    }

    /// Stores the key of an account as wrapped under the newest key of a ring.
    func wrapKey(of account: Int64, _ ring: MasterKeyRing) throws {
      let wrapped = KeyWrapper(ring).wrap(.random(), account: account)
      try keys.run(
        """
        INSERT INTO account_keys (account_id, wrapped_key, created_at)
        VALUES (\(account), '\\x\(Hexadecimal.encode(wrapped.span))', now())
            ON CONFLICT (account_id) DO UPDATE SET wrapped_key = excluded.wrapped_key
        """)
    }
  }

  private func stage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
    try await TestDatabase.with(.data) { data in
      try await TestDatabase.with(.keys) { keys in
        let loop = try EventLoop.start(name: "keys")
        defer { loop.stop() }
        try await Task(executorPreference: loop) {
          let stage = Stage(
            data: data, keys: keys, database: Database(data.settings(as: "data4help"), on: loop),
            keysDatabase: Database(keys.settings(as: "data4help"), on: loop))
          defer {
            stage.database.close()
            stage.keysDatabase.close()
          }
          try await body(stage)
        }.value
      }
    }
  }

  @Test("the statements fit the schema")
  func statements() async throws {
    try await TestDatabase.with(.data) { data in
      for role in ["gateway", "data4help", "track4run"] {
        let problems = try StatementCheck.problems(
          of: KeyChecks.statements, at: data.url(as: role))
        #expect(problems.isEmpty, "\(problems)")
      }
    }
    try await TestDatabase.with(.data) { data in
      let problems = try StatementCheck.problems(
        of: KeyChecks.data4helpStatements, at: data.url(as: "data4help"))
      #expect(problems.isEmpty, "\(problems)")
    }
    try await TestDatabase.with(.keys) { keys in
      let problems = try StatementCheck.problems(
        of: KeyChecks.keysStatements, at: keys.url(as: "data4help"))
      #expect(problems.isEmpty, "\(problems)")
    }
  }

  @Test("the first files are adopted, even by a database with accounts; later others are refused")
  func adopting() async throws {
    try await stage { stage in
      let (root, ring) = (RootSecret.random(), MasterKeyRing.random())
      try stage.wrapKey(of: 1, ring)
      #expect(try await stage.refusal(root, ring) == nil)
      #expect(try await stage.refusal(root, ring) == nil)
      let foreignRoot = try await stage.refusal(.random(), ring)
      #expect(foreignRoot?.contains("/nowhere/keys/root.secret belongs to another") == true)
      let foreignRing = try await stage.refusal(root, .random())
      #expect(foreignRing?.contains("/nowhere/keys/master.key lacks a master key") == true)
      #expect(try await stage.refusal(root, ring) == nil)
    }
  }

  @Test("the first key for push services is adopted, and another one refused", .tags(.NTF_2))
  func pushKey() async throws {
    try await stage { stage in
      let (root, ring, push) = (RootSecret.random(), MasterKeyRing.random(), PushKey.random())
      #expect(try await stage.refusal(root, ring) == nil)
      #expect(try await stage.refusal(root, ring, push: push) == nil)
      #expect(try await stage.refusal(root, ring, push: push) == nil)
      let foreign = try await stage.refusal(root, ring, push: .random())
      #expect(foreign?.contains("/nowhere/keys/push.key belongs to another") == true)
      #expect(foreign?.contains(push.identifier.description) == true)
    }
  }

  @Test("a foreign master key is not adopted by a database whose account keys it can't open")
  func adoptingForeign() async throws {
    try await stage { stage in
      let ring = MasterKeyRing.random()
      try stage.wrapKey(of: 1, ring)
      let root = RootSecret.random()
      #expect(try await stage.refusal(root, .random()) != nil)
      #expect(try await stage.refusal(root, ring) == nil)
    }
  }

  @Test("the keys' database of another installation is refused, also with its own master key")
  func foreignKeysDatabase() async throws {
    try await stage { stage in
      let (root, ring) = (RootSecret.random(), MasterKeyRing.random())
      #expect(try await stage.refusal(root, ring) == nil)
      let settings = try stage.settings()
      try await KeyChecks.require(keysDatabase: stage.keysDatabase, of: root, settings)
      // As if the data of another installation were beside it.
      try stage.keys.run("UPDATE installations SET root_secret = '347ea00d69404e9a'")
      let refusal = try await stage.refusal(root, ring)
      #expect(refusal?.hasPrefix("The keys' database belongs to another installation") == true)
      #expect(refusal?.contains("347ea00d69404e9a") == true)
      #expect(refusal?.contains("\n") == false)
      await #expect(throws: StartError.self) {
        try await KeyChecks.require(keysDatabase: stage.keysDatabase, of: root, settings)
      }
    }
  }

  @Test("an empty keys' database is refused beside accounts, and adopted without them")
  func emptyKeysDatabase() async throws {
    try await stage { stage in
      let (root, ring) = (RootSecret.random(), MasterKeyRing.random())
      try stage.data.run(
        """
        INSERT INTO data4help.accounts (account_id, kind, state, password_hash, registered_at,
               sealed_email, sealed_identity, sealed_profile, birth_date, sex)
        VALUES (1, 1, 1, '', now(), '', '', '', '1980-01-01', 'F')
        """)
      let refusal = try await stage.refusal(root, ring)
      #expect(refusal?.hasPrefix("The keys' database is empty") == true)
      #expect(try stage.inKeys("SELECT count(*) FROM installations") == "0")
      #expect(try stage.inKeys("SELECT count(*) FROM master_keys") == "0")
      try stage.data.run("DELETE FROM data4help.accounts")
      #expect(try await stage.refusal(root, ring) == nil)
      #expect(try stage.inKeys("SELECT count(*) FROM installations") == "1")
    }
  }

  @Test("a rotated ring is accepted, and without the old key once no key is wrapped under it")
  func rotation() async throws {
    try await stage { stage in
      let root = RootSecret.random()
      let old = MasterKeyRing.random()
      try stage.wrapKey(of: 1, old)
      #expect(try await stage.refusal(root, old) == nil)
      let rotated = try old.rotated()
      #expect(try await stage.refusal(root, rotated) == nil)
      let newAlone = rotated.keeping([])
      try stage.wrapKey(of: 2, rotated)
      #expect(try await stage.refusal(root, newAlone) != nil)
      // A replica without the new file.
      #expect(try await stage.refusal(root, old) != nil)
      try stage.wrapKey(of: 1, rotated)
      #expect(try await stage.refusal(root, newAlone) == nil)
    }
  }
}
