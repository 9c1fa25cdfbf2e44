import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import Time

/// Follows the file of the root secret (``KeyFileFollower``): tokens, calls, sealed rows and
/// records use its secrets from their next use on.
package struct RootSecretReload: FollowedKeys {
  private let settings: Settings
  private let check: RootSecretCheck
  private let root: RootSecret
  private let now: @Sendable () -> Instant
  private let onChange: @Sendable () async -> Void

  /// For the root secret of a process whose file the settings name; `onChange` renews what the
  /// process has derived once.
  ///
  /// - Throws: `StartError` for a wrong setting.
  package init(
    _ root: RootSecret, settings: Settings, database: Database,
    now: @escaping @Sendable () -> Instant, onChange: @escaping @Sendable () async -> Void = {}
  ) throws(StartError) {
    self.settings = settings
    check = RootSecretCheck(path: try RootSecretFile(settings).path, database: database)
    self.root = root
    self.now = now
    self.onChange = onChange
  }

  /// The work of a process, on its first loop.
  ///
  /// - Throws: `StartError` for a wrong setting.
  package static func component(
    of process: ServiceProcess, _ root: RootSecret, in database: Database,
    onChange: @escaping @Sendable () async -> Void = {}
  ) throws(StartError) -> LifecycleComponent {
    let reload = try RootSecretReload(
      root, settings: process.settings, database: database, now: process.environment.now,
      onChange: onChange)
    return reload.follower(on: process.loops[0], log: process.log).component
  }

  /// The follower of the file.
  package func follower(on loop: EventLoop, log: Log) -> KeyFileFollower {
    KeyFileFollower(
      "root secret", self, names: root.ring.identifiers.map(\.description), on: loop, log: log)
  }

  /// Uses the secrets of the file.
  ///
  /// - Throws: `StartError` for a file that does not belong to the database.
  package func reread(_ names: [String]) async throws(StartError) -> [String]? {
    let ring = try settings.rootKeys()
    let former = root.ring
    guard
      ring.identifiers != former.identifiers || ring.keptIdentifiers != former.keptIdentifiers
    else { return nil }
    try await compare(ring)
    root.use(ring)
    await onChange()
    return ring.identifiers.map(\.description)
  }

  /// Compares the secrets in memory: a rotation may have ended while the process had no connection,
  /// and its machine still has the former file.
  package func compare() async throws(StartError) { try await compare(root.ring) }

  private func compare(_ ring: RootKeyRing) async throws(StartError) {
    let mismatch: StartError?
    do throws(PostgresError) { mismatch = try await check.mismatch(of: ring, at: now()) } catch {
      throw StartError("The root secrets can't be compared: \(error.description)")
    }
    if let mismatch { throw mismatch }
  }

  /// Reports the secrets in memory to the data's database.
  package func report(_ process: UniversalID, _ names: [String]) async throws(PostgresError) {
    try await check.database.write(ReportRootReader(process: process, names: names))
  }

  /// Removes the report.
  package func leave(_ process: UniversalID) async throws(PostgresError) {
    try await check.database.write(RemoveRootReader(process: process))
  }
}
