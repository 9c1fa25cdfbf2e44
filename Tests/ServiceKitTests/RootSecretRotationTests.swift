import Bytes
import Cryptography
import EventLoop
import Foundation
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Synchronization
import Testing

@Suite("Rotation of the root secret")
struct RootSecretRotationTests {
  /// A use that counts its renewals, and the secret in front at each.
  private final class CountedUse: RootSecretUse {
    private let root: RootSecret
    private let renewals: Mutex<[KeyIdentifier]> = Mutex([])
    var all: [KeyIdentifier] { renewals.withLock { $0 } }

    /// What happens during the first renewal.
    private let meanwhile: Mutex<(@Sendable () -> Void)?> = Mutex(nil)

    init(_ root: RootSecret) { self.root = root }

    func duringFirst(_ body: @escaping @Sendable () -> Void) { meanwhile.withLock { $0 = body } }

    func renew() async throws(StartError) -> RootSecretRenewal {
      renewals.withLock { $0.append(root.identifier) }
      meanwhile.withLock { $0.take() }?()
      return RootSecretRenewal(of: "values", changed: 1)
    }
  }

  /// Both databases of an installation, and the file of its root secret.
  private struct Stage: Sendable {
    let data: TestDatabase
    let keys: TestDatabase
    let database: Database
    let keysDatabase: Database
    let loop: EventLoop
    let file: RootSecretFile
    let settings: Settings
    /// The secret before the rotation.
    let former: RootKeyRing
    let root: RootSecret
    let use: CountedUse

    func rotation(
      waitMax: Duration = .seconds(60), transactionMax: Duration = .seconds(60),
      of other: RootSecretFile? = nil, say: @escaping @Sendable (String) -> Void = { _ in }
    ) -> RootSecretRotation {
      RootSecretRotation(
        on: loop, file: other ?? file, root: other == nil ? root : RootSecret(former),
        data: database, keys: keysDatabase, uses: [use], environment: .system, waitMax: waitMax,
        transactionMax: transactionMax, sealingDelay: .zero, say: say)
    }

    /// The error with which a process with these secrets ends.
    func refusal(_ ring: RootKeyRing) async throws -> String? {
      let checks = try KeyChecks(
        settings, root: RootSecret(ring), in: database, keysDatabase: keysDatabase,
        now: Environment.system.now)
      do throws(StartError) { try await checks.require() } catch { return error.description }
      return nil
    }

    /// The error of a whole rotation; empty if it succeeds.
    func failure(waitMax: Duration = .seconds(60)) async -> String {
      do throws(StartError) { try await rotation(waitMax: waitMax).run() } catch {
        return error.description
      }
      return ""
    }

    /// The names of the secret in both databases, and of the former one.
    func stored() throws -> [String?] {
      [
        try data.cell("SELECT identifier FROM trackme.root_secrets"),
        try data.cell("SELECT former FROM trackme.root_secrets"),
        try keys.cell("SELECT root_secret FROM installations"),
      ]
    }

    func name(_ ring: RootKeyRing) -> String { ring.identifiers[0].description }

    /// A process that has these secrets in memory.
    func report(_ ring: RootKeyRing, by process: String) throws {
      let names = ring.identifiers.map(\.description).joined(separator: ",")
      try data.run(
        """
        INSERT INTO trackme.root_readers (process, identifiers, seen_at)
        VALUES ('\(process)', '{\(names)}', now())
            ON CONFLICT (process) DO UPDATE SET identifiers = excluded.identifiers, seen_at = now()
        """)
    }
  }

  private func stage(_ body: @escaping @Sendable (Stage) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
      try await TestDatabase.with(.data) { data in
        try await TestDatabase.with(.keys) { keys in
          try await stage(in: directory, data, keys, body)
        }
      }
    }
  }

  private func stage(
    in directory: String, _ data: TestDatabase, _ keys: TestDatabase,
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    let file = RootSecretFile(path: directory + "/root.secret")
    let former = RootKeyRing.random()
    try FileSystem.writeAtomically(
      file.path, KeyFile.text(of: former).withBytes { span in span.indices.map { span[$0] } })
    let settings = try Settings.load(
      arguments: [],
      environment: ["TRACKME_STATE": directory, "TRACKME_ROOT_SECRET_FILE": file.path]
    ).settings
    let loop = try EventLoop.start(name: "rotation")
    defer { loop.stop() }
    try await Task(executorPreference: loop) {
      let root = RootSecret(former)
      let stage = Stage(
        data: data, keys: keys, database: Database(data.settings(as: "data4help"), on: loop),
        keysDatabase: Database(keys.settings(as: "data4help"), on: loop), loop: loop, file: file,
        settings: settings, former: former, root: root, use: CountedUse(root))
      defer {
        stage.database.close()
        stage.keysDatabase.close()
      }
      // As the first start of the services does.
      #expect(try await stage.refusal(former) == nil)
      try keys.run(
        """
        INSERT INTO installations (root_secret, adopted_at)
        VALUES ('\(stage.name(former))', now())
        """)
      try await body(stage)
    }.value
  }

  @Test(
    "both databases name the new secret, and a file with the former one is refused", .tags(.OPS_6))
  func whole() async throws {
    try await stage { stage in
      try await stage.rotation().run()
      let new = try stage.file.read()
      #expect(new.identifiers.count == 1 && new.identifiers != stage.former.identifiers)
      #expect(new.keptIdentifiers == stage.former.identifiers)
      #expect(try stage.stored() == [stage.name(new), nil, stage.name(new)])
      #expect(stage.use.all == new.identifiers)
      #expect(try stage.file.readRetired()?.identifiers == stage.former.identifiers)
      #expect(try FileSystem.permissions(of: stage.file.retiredPath) == 0o600)
      #expect(try FileSystem.permissions(of: stage.file.path) == 0o600)
      #expect(try await stage.refusal(new) == nil)
      #expect(try await stage.refusal(stage.former)?.contains("another installation") == true)
      #expect(try await stage.rotation().next() == nil)
    }
  }

  @Test(
    "a rotation that ends after any step is continued by another run, with one new secret",
    .tags(.OPS_6), arguments: 0...4)
  func interrupted(_ steps: Int) async throws {
    try await stage { stage in
      let first = stage.rotation()
      if steps > 0 { try await first.perform(.announce) }
      for _ in 0..<max(0, steps - 1) {
        let step = try #require(try await first.next())
        try await first.perform(step)
        // A process may start at any time.
        #expect(try await stage.refusal(try stage.file.read()) == nil)
      }
      let files = try stage.file.read().identifiers
      try #require(steps == 0 || files != stage.former.identifiers)
      let expected = Set(files).subtracting(stage.former.identifiers).first
      if steps < 4 { try await stage.rotation().run() }
      let new = try stage.file.read()
      #expect(new.identifiers.count == 1)
      if let expected { #expect(new.identifiers == [expected]) }
      #expect(try stage.stored() == [stage.name(new), nil, stage.name(new)])
      #expect(Set(stage.use.all) == Set(new.identifiers))
      #expect(try await stage.rotation().next() == nil)
    }
  }

  @Test(
    "a promotion that ended between file and databases is completed", .tags(.OPS_6),
    arguments: [false, true])
  func halfPromoted(_ isKeysDatabaseRenamed: Bool) async throws {
    try await stage { stage in
      try await stage.rotation().perform(.announce)
      let announced = try stage.file.read()
      let promoted = announced.promoting(announced.identifiers[1])
      try stage.file.write(promoted)
      if isKeysDatabaseRenamed {
        try stage.keys.run("UPDATE installations SET root_secret = '\(stage.name(promoted))'")
      }
      #expect(try await stage.refusal(promoted) == nil)
      #expect(try await stage.rotation().next() == .promote)
      try await stage.rotation().run()
      let new = stage.name(promoted)
      #expect(try stage.stored() == [new, nil, new])
    }
  }

  @Test("no step begins before every living process has read the file", .tags(.OPS_6))
  func waiting() async throws {
    try await stage { stage in
      let process = UUID().uuidString
      try stage.report(stage.former, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      let announced = try stage.file.read()
      #expect(announced.identifiers.first == stage.former.identifiers.first)
      #expect(announced.identifiers.count == 2)

      try stage.report(announced, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      let promoted = try stage.file.read()
      #expect(promoted.identifiers == announced.identifiers.reversed())
      #expect(stage.use.all.isEmpty)

      try stage.report(promoted, by: process)
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      #expect(stage.use.all.count == 1)
      #expect(try await stage.rotation().next() == .release)

      // A killed process is not waited for.
      try stage.data.run("UPDATE trackme.root_readers SET seen_at = now() - interval '1 minute'")
      #expect(try await stage.rotation().next() == nil)
    }
  }

  @Test("a file that another machine kept from before is refused after the rotation", .tags(.OPS_6))
  func stale() async throws {
    try await stage { stage in
      try await stage.rotation().perform(.announce)
      let announced = try stage.file.read()
      try await stage.rotation().perform(.promote)
      // While rows can be sealed under it, the former secret may be in front elsewhere.
      #expect(try await stage.refusal(announced) == nil)
      try await stage.rotation().run()
      let refused = try await stage.refusal(announced)
      #expect(refused?.contains("which a rotation has replaced") == true)
      #expect(try await stage.refusal(try stage.file.read().announcing()) == nil)
    }
  }

  @Test("databases from before two rotations are moved to the secret of now", .tags(.OPS_6))
  func restored() async throws {
    try await stage { stage in
      try await stage.rotation().run()
      try await stage.rotation().run()
      let current = try stage.file.read()
      let renewals = stage.use.all.count
      #expect(try await stage.rotation().prepareRestored() == false)
      let old = stage.name(stage.former)
      try stage.data.run("UPDATE trackme.root_secrets SET identifier = '\(old)'")
      try stage.keys.run("UPDATE installations SET root_secret = '\(old)'")
      let refused = try await stage.refusal(current)
      #expect(refused?.contains("`trackme keys restore`") == true)

      // Without the retired secret the command names it.
      let retired = stage.file.retiredPath
      try FileManager.default.moveItem(atPath: retired, toPath: retired + ".elsewhere")
      await #expect(throws: StartError.self) { try await stage.rotation().prepareRestored() }
      #expect(try stage.file.read().identifiers == current.identifiers)
      try FileManager.default.moveItem(atPath: retired + ".elsewhere", toPath: retired)

      #expect(try await stage.rotation().prepareRestored())
      try await stage.rotation().run()
      #expect(try stage.file.read().identifiers == current.identifiers)
      #expect(try stage.file.read().keptIdentifiers == current.keptIdentifiers)
      #expect(try stage.stored() == [stage.name(current), nil, stage.name(current)])
      #expect(stage.use.all.count == renewals + 1)
      #expect(try await stage.refusal(current) == nil)
    }
  }

  @Test(
    "a keys' database from before a rotation alone is renewed beside the data", .tags(.OPS_6),
    arguments: [false, true])
  func restoredKeys(_ isInterrupted: Bool) async throws {
    try await stage { stage in
      try await stage.rotation().run()
      let current = try stage.file.read()
      let old = stage.name(stage.former)
      try stage.keys.run("UPDATE installations SET root_secret = '\(old)'")
      #expect(try await stage.refusal(current)?.contains("`trackme keys restore`") == true)
      // A preparation that ended between the file and the databases.
      if isInterrupted { try stage.file.write(try current.appending(stage.former)) }
      let renewals = stage.use.all.count
      #expect(try await stage.rotation().prepareRestored())
      try await stage.rotation().run()
      #expect(stage.use.all.count == renewals + 1)
      #expect(try stage.stored() == [stage.name(current), nil, stage.name(current)])
      #expect(try await stage.refusal(current) == nil)
    }
  }

  @Test(
    "a process that could not report, as while the database was unavailable, is waited for",
    .tags(.OPS_6))
  func reportsOutdated() async throws {
    try await stage { stage in
      try stage.report(stage.former, by: UUID().uuidString)
      try stage.data.run("UPDATE trackme.root_readers SET seen_at = now() - interval '5 minutes'")
      #expect(await stage.failure(waitMax: .zero).contains("not been read by 1 process."))
      #expect(try stage.file.read().identifiers.first == stage.former.identifiers.first)
    }
  }

  @Test(
    "nothing is sealed again before transactions end that may hold values under the former secret",
    .tags(.OPS_6))
  func openTransactions() async throws {
    try await stage { stage in
      let session = Mutex(try stage.data.session())
      try session.withLock { try $0.run("BEGIN; SELECT pg_current_xact_id()") }
      let refused = await #expect(throws: StartError.self) {
        try await stage.rotation(transactionMax: .zero).run()
      }
      #expect(refused?.description.contains("pg_stat_activity") == true)
      #expect(stage.use.all.isEmpty)
      // The transaction ends while another run waits for it.
      let renewedBefore = Mutex<Int?>(nil)
      try await stage.rotation { line in
        guard line.hasPrefix("Waiting for transactions") else { return }
        renewedBefore.withLock { $0 = stage.use.all.count }
        do { try session.withLock { try $0.run("COMMIT") } } catch { Issue.record(error) }
      }.run()
      #expect(renewedBefore.withLock { $0 } == 0)
      #expect(stage.use.all.count == 1)
    }
  }

  @Test(
    "a process that starts with the former secret in front meanwhile is waited for", .tags(.OPS_6))
  func lateReader() async throws {
    try await stage { stage in
      let process = UUID().uuidString
      let report: @Sendable (Bool) -> Void = { isOutdated in
        do {
          let ring = try stage.file.read()
          try stage.report(isOutdated ? ring.promoting(ring.identifiers[1]) : ring, by: process)
        } catch { Issue.record(error) }
      }
      stage.use.duringFirst { report(true) }
      try await stage.rotation { line in
        if line.hasPrefix("Waiting for 1 process") { report(false) }
      }.run()
      // Once before the process started, and once after it has read the file.
      #expect(stage.use.all.count == 2)
      #expect(try stage.stored()[1] == nil)
    }
  }

  @Test("a second rotation at the same time, on another machine, is refused", .tags(.OPS_6))
  func twoAtOnce() async throws {
    try await stage { stage in
      let other = RootSecretFile(path: stage.file.path + ".elsewhere")
      try FileManager.default.copyItem(atPath: stage.file.path, toPath: other.path)
      try await stage.rotation().perform(.announce)
      try await stage.rotation(of: other).perform(.announce)
      // The first one is between the two databases.
      let first = stage.name(try stage.file.read().promoting(try stage.file.read().identifiers[1]))
      try stage.keys.run("UPDATE installations SET root_secret = '\(first)'")
      let refused = await #expect(throws: StartError.self) {
        try await stage.rotation(of: other).run()
      }
      #expect(refused?.description.contains("Another command") == true)
      try await stage.rotation().run()
      #expect(try stage.stored() == [first, nil, first])
      #expect(try stage.file.read().identifiers.map(\.description) == [first])
    }
  }

  @Test(
    "a keys' database from before two rotations gets every secret of entries since", .tags(.OPS_6))
  func restoredKeysOfTwo() async throws {
    try await stage { stage in
      try await stage.rotation().run()
      let second = try stage.file.read()
      try await stage.rotation().run()
      let current = try stage.file.read()
      let old = stage.name(stage.former)
      try stage.keys.run("UPDATE installations SET root_secret = '\(old)'")
      #expect(try await stage.rotation().prepareRestored())
      let needed = Set(stage.former.identifiers + second.identifiers + current.identifiers)
      #expect(Set(try stage.file.read().identifiers) == needed)
      try await stage.rotation().run()
      #expect(try stage.file.read().identifiers == current.identifiers)
    }
  }
}
