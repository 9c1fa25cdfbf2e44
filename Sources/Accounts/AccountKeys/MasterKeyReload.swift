import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import ServiceKit

/// Follows the file of the master keys (``KeyFileFollower``): all loops wrap and unwrap with them
/// from then on.
package struct MasterKeyReload: FollowedKeys {
  private let file: MasterKeyFile
  private let keys: [AccountKeys]
  private let checks: KeyChecks
  private let database: Database

  /// For the keys of all loops; reports go to the keys' database.
  package init(
    file: MasterKeyFile, keys: [AccountKeys], checks: KeyChecks, database: Database
  ) {
    self.file = file
    self.keys = keys
    self.checks = checks
    self.database = database
  }

  /// The follower of the file for a process that uses `ring`.
  package func follower(of ring: MasterKeyRing, on loop: EventLoop, log: Log) -> KeyFileFollower {
    KeyFileFollower(
      "master keys", self, names: ring.identifiers.map(\.description), on: loop, log: log)
  }

  /// Uses the keys of the file.
  ///
  /// - Throws: `StartError` for a file that lacks a key in use.
  package func reread(_ names: [String]) async throws(StartError) -> [String]? {
    let ring = try file.read()
    let found = ring.identifiers.map(\.description)
    guard found != names else { return nil }
    let mismatch: StartError?
    do throws(PostgresError) { mismatch = try await checks.mismatch(ofReread: ring) } catch {
      throw StartError("The master keys can't be compared: \(error.description)")
    }
    if let mismatch { throw mismatch }
    for keys in keys { await keys.use(ring) }
    return found
  }

  /// Reports the keys in memory to the keys' database.
  package func report(_ process: UniversalID, _ names: [String]) async throws(PostgresError) {
    try await database.write(ReportKeyReader(process: process, names: names))
  }

  /// Removes the report.
  package func leave(_ process: UniversalID) async throws(PostgresError) {
    try await database.write(RemoveKeyReader(process: process))
  }
}
