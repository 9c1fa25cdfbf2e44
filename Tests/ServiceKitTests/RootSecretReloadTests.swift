import Cryptography
import EventLoop
import Operations
import Postgres
import PostgresFixture
import Requirements
import ServiceKit
import Support
import Synchronization
import Testing

@Suite("Reading the root secret's file again")
struct RootSecretReloadTests {
  private func write(_ ring: RootKeyRing, in directory: String) throws(SystemError) {
    try FileSystem.writeAtomically(
      directory + "/root.secret",
      KeyFile.text(of: ring).withBytes { span in span.indices.map { span[$0] } })
  }

  @Test(
    "a running process follows the file, renews what it derived, and reports its secrets",
    .tags(.OPS_6))
  func reload() async throws {
    try await withTemporaryDirectory { directory in
      try await TestDatabase.with(.data) { test in
        try await reload(in: directory, test)
      }
    }
  }

  private func reload(in directory: String, _ test: TestDatabase) async throws {
    let settings = try Settings.load(
      arguments: [],
      environment: [
        "TRACKME_STATE": directory, "TRACKME_ROOT_SECRET_FILE": directory + "/root.secret",
      ]
    ).settings
    let ring = RootKeyRing.random()
    try write(ring, in: directory)
    let root = try settings.rootSecret()
    let announced = try ring.announcing()
    let promoted = announced.promoting(announced.identifiers[1])
    func reported() throws -> String? {
      try test.cell("SELECT array_to_string(identifiers, ' ') FROM trackme.root_readers")
    }
    func names(_ ring: RootKeyRing) -> String {
      ring.identifiers.map(\.description).joined(separator: " ")
    }
    let changes = Mutex(0)
    let loop = try EventLoop.start(name: "root")
    defer { loop.stop() }
    try await Task(executorPreference: loop) {
      let database = Database(test.settings(as: "gateway"), on: loop)
      defer { database.close() }
      let reload = try RootSecretReload(
        root, settings: settings, database: database, now: Environment.system.now
      ) { changes.withLock { $0 += 1 } }
      let follower = reload.follower(on: loop, log: .none)
      await follower.turn()
      #expect(try reported() == names(ring))
      try write(announced, in: directory)
      await follower.turn()
      #expect(root.ring.identifiers == announced.identifiers)
      #expect(try reported() == names(announced))
      try write(promoted, in: directory)
      await follower.turn()
      #expect(root.identifier == announced.identifiers[1])
      #expect(try reported() == names(promoted))
      #expect(changes.withLock { $0 } == 2)

      // A damaged file, one of another installation, and one that lacks the secret that the
      // database names.
      try FileSystem.writeAtomically(directory + "/root.secret", Array("damaged\n".utf8))
      await follower.turn()
      try write(.random(), in: directory)
      await follower.turn()
      try write(promoted.removingFormer(), in: directory)
      await follower.turn()
      #expect(root.ring.identifiers == promoted.identifiers)
      #expect(try reported() == names(promoted))
      #expect(changes.withLock { $0 } == 2)

      // A rotation that has not waited for the process, whose machine keeps the former file.
      try await reload.compare()
      root.use(announced)
      let new = "\(promoted.identifiers[0])"
      try test.run("UPDATE trackme.root_secrets SET identifier = '\(new)', former = NULL")
      let refused = await #expect(throws: StartError.self) { try await reload.compare() }
      #expect(refused?.description.contains("which a rotation has replaced") == true)
    }.value
  }
}
