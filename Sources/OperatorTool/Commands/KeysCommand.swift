import Accounts
import Cryptography
import Data4HelpSync
import EventLoop
import Installation
import Mail
import Operations
import Postgres
import Runs
import ServiceKit
import Sharing

/// `trackme keys rotate master` and `trackme keys rotate root`: replace the master key or the root
/// secret while the services run (OPS-6). `trackme keys restore`: does the same for restored
/// databases from before a rotation, before the services start. Each continues a run that was
/// interrupted. The databases must be running. `trackme keys rotate tls` is the next step of
/// `trackme authority rotate`.
enum KeysCommand {
  static let usage = "usage: trackme keys rotate master|root|tls, or trackme keys restore"
  private static let lockName = "keys.pid"

  private typealias Work =
    @Sendable (_ rotations: Rotations) async throws(StartError) -> Void

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      switch operands {
      case ["rotate", "master"]: try run(installation, rotateMaster)
      case ["rotate", "root"]: try run(installation, rotateRoot)
      case ["rotate", "tls"]: try AuthorityCommand.rotate(installation)
      case ["restore"]: try run(installation, restore)
      default: throw StartError(usage)
      }
    }
  }

  private static func rotateMaster(_ rotations: Rotations) async throws(StartError) {
    try await rotations.requireKeysDatabase()
    try await rotations.master.run()
    Terminal.say("The master key is replaced.")
  }

  private static func rotateRoot(_ rotations: Rotations) async throws(StartError) {
    try await rotations.requireKeysDatabase()
    try await rotations.rootSecret.run()
    Terminal.say("The root secret is replaced.")
  }

  private static func restore(_ rotations: Rotations) async throws(StartError) {
    // The root secret first: it decides whether the keys' database belongs to this installation.
    var isOutdated = try await rotations.rootSecret.prepareRestored()
    if !isOutdated { isOutdated = try await rotations.rootSecret.next() != nil }
    if isOutdated {
      try await rotations.rootSecret.run()
      Terminal.say("The restored databases use the root secret of now.")
    }
    try await rotations.requireKeysDatabase()
    var isWrappedBefore = try await rotations.master.prepareRestored()
    if !isWrappedBefore { isWrappedBefore = try await rotations.master.next() != nil }
    if isWrappedBefore {
      try await rotations.master.run()
      Terminal.say("The restored account keys are wrapped under the master key of now.")
    } else if !isOutdated {
      Terminal.say("The key files open these databases: there is nothing to do.")
    }
  }

  private static func run(_ installation: Installation, _ work: @escaping Work) throws(StartError) {
    try lock(installation)
    let urls = try KeyURLs(installation)
    let root = try installation.settings.rootSecret()
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "keys") } catch {
      throw StartError("The rotation can't be started", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<Void, StartError>>()
    loop.begin {
      do throws(StartError) {
        let rotations = try Rotations(installation.settings, urls, root, on: loop)
        defer { rotations.close() }
        try await work(rotations)
        result.resolve(.success(()))
      } catch {
        result.resolve(.failure(error))
      }
    }
    try result.wait().get()
  }

  private static func lock(_ installation: Installation) throws(StartError) {
    guard FileSystem.exists(installation.state.path) else {
      throw StartError(
        "There is no installation in \(installation.state.path): name its directory with "
          + "TRACKME_STATE, or start it first.")
    }
    try InstanceLock.hold(installation.state, lockName, of: "the keys")
  }
}

/// The databases that a rotation uses.
private struct KeyURLs: Sendable {
  let data: Secret
  let runs: Secret
  let keys: Secret

  init(_ installation: Installation) throws(StartError) {
    let urls = try DatabaseURLs(installation)
    data = try urls.url(.data4help, .trackme)
    runs = try urls.url(.track4run, .trackme)
    keys = try urls.url(.data4help, .keys)
  }
}

/// The rotations of an installation's keys, with their databases.
private struct Rotations: Sendable {
  let master: MasterKeyRotation
  let rootSecret: RootSecretRotation
  /// A search of all entries of the sequences, or of all account keys, takes minutes in a large
  /// database, longer than a request may.
  private static let statementMax = Duration.seconds(1800)

  private let settings: Settings
  private let root: RootSecret
  private let data: Database
  private let runs: Database
  private let keys: Database

  init(
    _ settings: Settings, _ urls: KeyURLs, _ root: RootSecret, on loop: EventLoop
  ) throws(StartError) {
    func database(_ url: Secret) -> Database {
      var settings = DatabaseSettings(url: url.revealed, applicationName: "trackme keys")
      settings.statementMax = Self.statementMax
      return Database(settings, on: loop)
    }
    let (masterKeys, rootSecrets) = (try MasterKeyFile(settings), try RootSecretFile(settings))
    let (data, runs, keys) = (database(urls.data), database(urls.runs), database(urls.keys))
    (self.settings, self.root) = (settings, root)
    (self.data, self.runs, self.keys) = (data, runs, keys)
    master = MasterKeyRotation(
      on: loop, file: masterKeys, database: keys, environment: .system, say: Terminal.say)
    rootSecret = RootSecretRotation(
      on: loop, file: rootSecrets, root: root, data: data, keys: keys,
      uses: RootSecretUses.sealed(data: data, runs: runs, root, on: loop)
        + [AuditAnchoring(database: data, keysDatabase: keys, root: root)],
      environment: .system, say: Terminal.say)
  }

  /// Refuses a keys' database of another installation.
  func requireKeysDatabase() async throws(StartError) {
    try await KeyChecks.require(keysDatabase: keys, of: root, settings)
  }

  func close() {
    for database in [data, runs, keys] { database.close() }
  }
}

/// The stored values that a rotation of the root secret rewrites.
package enum RootSecretUses {
  /// All columns that are sealed under keys of `root`: `data` is the data's database for the role
  /// of Data4Help, `runs` for that of Track4Run.
  package static func sealed(
    data: Database, runs: Database, _ root: RootSecret, on loop: EventLoop
  ) -> [any RootSecretUse] {
    [
      ServerSealing(SealedMails(root: root), in: data, on: loop),
      ServerSealing(SealedPairings(root: root), in: data, on: loop),
      ServerSealing(SealedDeletions(root: root), in: data, on: loop),
      ServerSealing(SealedOrders(root: root), in: runs, on: loop),
      ServerSealing(SealedRunnerNames(root: root), in: runs, on: loop),
      ServerSealing(SealedRunData(root: root), in: runs, on: loop),
    ]
  }
}
