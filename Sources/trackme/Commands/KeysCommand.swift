import Accounts
import EventLoop
import Installation
import Operations
import Postgres
import ServiceKit

/// `trackme keys rotate master`: replaces the master key while the services run (OPS-6).
/// `trackme keys restore`: rewraps the account keys of a restored keys' database, before the
/// services start. Both continue a run that was interrupted. The databases must be running.
enum KeysCommand {
  static let usage = "usage: trackme keys rotate master, or trackme keys restore"
  private static let lockName = "keys.pid"

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      switch operands {
      case ["rotate", "master"]: try rotate(installation, isRestored: false)
      case ["restore"]: try rotate(installation, isRestored: true)
      default: throw StartError(usage)
      }
    }
  }

  private static func rotate(
    _ installation: Installation, isRestored: Bool
  ) throws(StartError) {
    try lock(installation)
    let url = try DatabaseURLs(installation).url(.data4help, .keys)
    let file = MasterKeyFile(path: try installation.value(SettingTable.masterKeyPath))
    let root = try installation.settings.rootSecret()
    let loop: EventLoop
    do throws(SystemError) { loop = try EventLoop.start(name: "keys") } catch {
      throw StartError("The rotation can't be started", error)
    }
    defer { loop.stop() }
    let result = Pending<Result<Void, StartError>>()
    loop.begin {
      let database = Database(
        DatabaseSettings(url: url.revealed, applicationName: "trackme keys"), on: loop)
      let rotation = MasterKeyRotation(
        on: loop, file: file, database: database, environment: .system, say: Terminal.say)
      do throws(StartError) {
        try await KeyChecks.require(keysDatabase: database, of: root, installation.settings)
        if isRestored, try await !rotation.prepareRestored(), try await rotation.next() == nil {
          Terminal.say("The key files open this database: there is nothing to do.")
        } else {
          try await rotation.run()
          Terminal.say("The master key is replaced.")
        }
        result.resolve(.success(()))
      } catch {
        result.resolve(.failure(error))
      }
      database.close()
    }
    try result.wait().get()
  }

  /// Prevents two commands on the same files; the lock ends with the process.
  private static func lock(_ installation: Installation) throws(StartError) {
    let holder: Int32
    do throws(SystemError) {
      let attempt = try InstanceLock.take(installation.state, lockName)
      guard case .heldBy(let pid) = attempt else {
        if case .taken(let lock) = attempt { try lock.sign() }
        return
      }
      holder = pid
    } catch {
      throw StartError("The state directory can't be locked", error)
    }
    throw StartError("Another command changes the keys now, with the process number \(holder).")
  }
}
