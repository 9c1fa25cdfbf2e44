import Accounts
import Bytes
import Cryptography
import Data4HelpFixture
import EventLoop
import Foundation
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Testing

@Suite("Rotation of the master key")
struct MasterKeyRotationTests {
  /// A keys' database with account keys, and the file of their master key.
  private struct Stage: Sendable {
    let keys: TestDatabase
    let database: Database
    let loop: EventLoop
    let file: MasterKeyFile
    /// The master key before the rotation.
    let former: MasterKeyRing

    func rotation(waitMax: Duration = .seconds(60)) -> MasterKeyRotation {
      MasterKeyRotation(
        on: loop, file: file, database: database, environment: .system, waitMax: waitMax,
        say: { _ in })
    }

    /// Stores the key of an account as wrapped under the newest key of a ring; returns the key.
    func store(_ account: Int64, under ring: MasterKeyRing) throws -> SealingKey {
      let key = AccountKey.random()
      try put(account, KeyWrapper(ring).wrap(key, account: account))
      return SealingKey(key)
    }

    func put(_ account: Int64, _ wrapped: [UInt8]) throws {
      try keys.run(
        """
        INSERT INTO account_keys (account_id, wrapped_key, created_at)
        VALUES (\(account), '\\x\(Hexadecimal.encode(wrapped.span))', now())
            ON CONFLICT (account_id) DO UPDATE SET wrapped_key = excluded.wrapped_key
        """)
    }

    func wrapped(_ account: Int64) throws -> [UInt8] {
      let found = try keys.cell(
        "SELECT encode(wrapped_key, 'hex') FROM account_keys WHERE account_id = $1", "\(account)")
      let digits = try #require(found)
      let bytes = Hexadecimal.decode(digits.utf8.span)
      return try #require(bytes)
    }

    /// Whether the stored key of an account, opened by a ring, opens what `key` has sealed.
    func opens(_ account: Int64, by ring: MasterKeyRing, _ key: SealingKey) throws -> Bool {
      let context = SealContext(table: "t", column: "c", row: SealRow(1))
      let sealed = key.seal("told once", for: context)
      let stored = try wrapped(account)
      let found = try KeyWrapper(ring).unwrap(stored.span, account: account)
      return try SealingKey(found).openText(sealed.span, for: context) == "told once"
    }

    /// The error with which a process with the file's keys ends.
    func refusal(_ ring: MasterKeyRing) async throws -> String? {
      let settings = try Settings.load(
        arguments: [], environment: ["TRACKME_STATE": "/nowhere"]
      ).settings
      let checks = try KeyChecks(
        settings, root: .random(), in: database, masterKeys: (ring, database),
        now: Environment.system.now)
      let mismatch = try await checks.mismatch(ofReread: ring)
      return mismatch?.description
    }

    /// The error of a whole rotation; empty if it succeeds.
    func failure(waitMax: Duration = .seconds(60)) async -> String {
      do throws(StartError) { try await rotation(waitMax: waitMax).run() } catch {
        return error.description
      }
      return ""
    }

    /// The error of the preparation after a restore; empty if it succeeds.
    func failureOfPreparing() async -> String {
      do throws(StartError) { _ = try await rotation().prepareRestored() } catch {
        return error.description
      }
      return ""
    }

    /// A process that has these keys in memory.
    func report(_ ring: MasterKeyRing, by process: String) throws {
      let names = ring.identifiers.map(\.description).joined(separator: ",")
      try keys.run(
        """
        INSERT INTO key_readers (process, identifiers, seen_at)
        VALUES ('\(process)', '{\(names)}', now())
            ON CONFLICT (process) DO UPDATE SET identifiers = excluded.identifiers, seen_at = now()
        """)
    }
  }

  private func stage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
    try await withTemporaryDirectory { try await stage(in: $0, body) }
  }

  private func stage(
    in directory: String, _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    let file = MasterKeyFile(path: directory + "/master.key")
    let former = MasterKeyRing.random()
    try FileSystem.writeAtomically(
      file.path, KeyFile.text(of: former).withBytes { span in span.indices.map { span[$0] } })
    try await TestDatabase.with(.keys) { keys in
      let loop = try EventLoop.start(name: "rotation")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let database = Database(keys.settings(as: "data4help"), on: loop)
        defer { database.close() }
        let stage = Stage(
          keys: keys, database: database, loop: loop, file: file, former: former)
        // As the first start of a service does.
        #expect(try await stage.refusal(former) == nil)
        try await body(stage)
      }.value
    }
  }

  @Test("every account key opens under the new key, and the former one opens none", .tags(.OPS_6))
  func whole() async throws {
    try await stage { stage in
      var sealing: [Int64: SealingKey] = [:]
      // More than one batch.
      let count = Int64(MasterKeyRotation.batchMax + 3)
      for account in Int64(1)...3 {
        sealing[account] = try stage.store(account, under: stage.former)
      }
      let other = KeyWrapper(stage.former)
      let rows = (4...count).map { account in
        let wrapped = other.wrap(.random(), account: account)
        return "(\(account), '\\x\(Hexadecimal.encode(wrapped.span))', now())"
      }
      try stage.keys.run(
        "INSERT INTO account_keys (account_id, wrapped_key, created_at) VALUES "
          + rows.joined(separator: ", "))
      #expect(try await stage.refusal(stage.former) == nil)

      try await stage.rotation().run()

      let new = try stage.file.read()
      #expect(new.identifiers.count == 1 && new.identifiers != stage.former.identifiers)
      for (account, key) in sealing {
        #expect(try stage.opens(account, by: new, key))
        #expect(throws: CryptographyError.masterKeyUnknown) {
          try stage.opens(account, by: stage.former, key)
        }
      }
      let left = try stage.keys.cell(
        """
        SELECT count(*) FROM account_keys
         WHERE encode(substring(wrapped_key FROM 2 FOR 8), 'hex') <> $1
        """, "\(new.identifiers[0])")
      #expect(left == "0")
      #expect(try await stage.refusal(new) == nil)
      #expect(try await stage.refusal(stage.former)?.contains("has replaced") == true)
      let retired = try stage.file.readRetired()
      #expect(retired?.identifiers == stage.former.identifiers)
      #expect(try FileSystem.permissions(of: stage.file.retiredPath) == 0o600)
      #expect(try FileSystem.permissions(of: stage.file.path) == 0o600)
      #expect(try await stage.rotation().next() == nil)
    }
  }

  @Test(
    "a rotation that ends after any step is continued by another run, with one new key",
    .tags(.OPS_6), arguments: 0...5)
  func interrupted(_ steps: Int) async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      let first = stage.rotation()
      if steps > 0 { try await first.perform(.announce) }
      for _ in 0..<max(0, steps - 1) {
        let step = try #require(try await first.next())
        try await first.perform(step)
      }
      let files = try stage.file.read().identifiers
      try #require(steps == 0 || files != stage.former.identifiers)
      // A step whose effect is complete may be repeated too.
      let expected = Set(files).subtracting(stage.former.identifiers).first
      try await stage.rotation().run()
      let new = try stage.file.read()
      #expect(new.identifiers.count == 1)
      if let expected { #expect(new.identifiers == [expected]) }
      #expect(try stage.opens(1, by: new, key))
      #expect(try await stage.rotation().next() == nil)
      #expect(try stage.file.readRetired()?.identifiers == stage.former.identifiers)
    }
  }

  @Test(
    "no key is wrapped under the new one before every living process has read it", .tags(.OPS_6))
  func waiting() async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      let process = UUID().uuidString
      try stage.report(stage.former, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      // The new key is announced, but not at the front.
      let announced = try stage.file.read()
      #expect(announced.identifiers.first == stage.former.identifiers.first)
      #expect(announced.identifiers.count == 2)
      #expect(try stage.opens(1, by: stage.former, key))

      try stage.report(announced, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      let promoted = try stage.file.read()
      #expect(promoted.identifiers == announced.identifiers.reversed())
      #expect(try stage.opens(1, by: stage.former, key))

      try stage.report(promoted, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      #expect(try stage.opens(1, by: promoted, key))
      #expect(try await stage.rotation().next() == .release)

      // A killed process is not waited for.
      try stage.keys.run("UPDATE key_readers SET seen_at = now() - interval '1 minute'")
      try await stage.rotation().run()
      #expect(try await stage.rotation().next() == nil)
    }
  }

  @Test(
    "a process that was suspended can't store a key under a retired master key", .tags(.OPS_6))
  func suspended() async throws {
    try await stage { stage in
      _ = try stage.store(1, under: stage.former)
      try await stage.rotation().run()
      #expect(throws: (any Error).self) { try stage.store(2, under: stage.former) }
      let new = try stage.file.read()
      let key = try stage.store(2, under: new)
      #expect(try stage.opens(2, by: new, key))
    }
  }

  @Test(
    "keys stored under the former master key during the last search are rewrapped", .tags(.OPS_6))
  func late() async throws {
    try await stage { stage in
      _ = try stage.store(1, under: stage.former)
      let rotation = stage.rotation()
      for step in [MasterKeyRotation.Step.announce, .promote, .rewrap] {
        try await rotation.perform(step)
      }
      #expect(try await rotation.next() == .retire)
      let key = try stage.store(2, under: stage.former)
      try await rotation.perform(.retire)
      #expect(try await rotation.next() == .rewrap)
      try await rotation.run()
      #expect(try stage.opens(2, by: try stage.file.read(), key))
    }
  }

  @Test("a keys' database that no service has used moves to the new master key", .tags(.OPS_6))
  func unused() async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      try stage.keys.run("DELETE FROM master_keys")
      try await stage.rotation().run()
      let ring = try stage.file.read()
      #expect(ring.identifiers.count == 1 && ring.identifiers != stage.former.identifiers)
      #expect(try stage.opens(1, by: ring, key))
    }
  }

  @Test("a damaged account key keeps the former master key in use", .tags(.OPS_6))
  func damaged() async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      var wrapped = KeyWrapper(stage.former).wrap(.random(), account: 2)
      wrapped[40] ^= 1
      try stage.put(2, wrapped)
      #expect(await stage.failure().contains("that of account 2"))
      let ring = try stage.file.read()
      #expect(ring.identifiers.count == 2)
      #expect(try stage.opens(1, by: ring, key))
      try stage.keys.run("DELETE FROM account_keys WHERE account_id = 2")
      try await stage.rotation().run()
      #expect(try stage.file.read().identifiers.count == 1)
    }
  }

  @Test("a keys' database from before two rotations opens after the restore", .tags(.OPS_6))
  func restored() async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      #expect(try await stage.refusal(stage.former) == nil)
      let older = try stage.wrapped(1)
      try await stage.rotation().run()
      try await stage.rotation().run()
      let current = try stage.file.read()
      // The older dump: another name, and the key as it was wrapped.
      try stage.keys.run("DELETE FROM master_keys; DELETE FROM account_keys")
      try stage.keys.run(
        "INSERT INTO master_keys VALUES ('\(stage.former.identifiers[0])', now() - interval '1 d')")
      try stage.put(1, older)
      let refused = try await stage.refusal(current)
      #expect(refused?.contains("`trackme keys restore`") == true)

      // Without the retired key the command names it.
      let retired = stage.file.retiredPath
      try FileManager.default.moveItem(atPath: retired, toPath: retired + ".elsewhere")
      let absent = "\(stage.former.identifiers[0])"
      #expect(await stage.failureOfPreparing().contains(absent))
      #expect(try stage.file.read().identifiers == current.identifiers)
      try FileManager.default.moveItem(atPath: retired + ".elsewhere", toPath: retired)

      #expect(try await stage.rotation().prepareRestored())
      try await stage.rotation().run()
      #expect(try stage.file.read().identifiers == current.identifiers)
      #expect(try stage.opens(1, by: current, key))
      #expect(try await stage.refusal(current) == nil)
      #expect(try await stage.rotation().prepareRestored() == false)
    }
  }

  @Test(
    "a process that could not report, as while the database was unavailable, is waited for",
    .tags(.OPS_6))
  func reportsOutdated() async throws {
    try await stage { stage in
      try stage.report(stage.former, by: UUID().uuidString)
      try stage.keys.run("UPDATE key_readers SET seen_at = now() - interval '5 minutes'")
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      #expect(try stage.file.read().identifiers.first == stage.former.identifiers.first)
    }
  }

  @Test(
    "the clock was ahead when the former master key was adopted, and a killed process reported",
    .tags(.OPS_6))
  func clockAhead() async throws {
    try await stage { stage in
      let key = try stage.store(1, under: stage.former)
      try stage.report(stage.former, by: UUID().uuidString)
      try stage.keys.run("UPDATE key_readers SET seen_at = now() + interval '1 hour'")
      try stage.keys.run("UPDATE master_keys SET adopted_at = now() + interval '1 year'")
      try await stage.rotation().run()
      let new = try stage.file.read()
      #expect(new.identifiers.count == 1 && new.identifiers != stage.former.identifiers)
      #expect(try stage.opens(1, by: new, key))
      #expect(try stage.file.readRetired()?.identifiers == stage.former.identifiers)
    }
  }
}
