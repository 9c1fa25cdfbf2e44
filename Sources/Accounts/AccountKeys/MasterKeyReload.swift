import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import ServiceKit
import Time

/// Follows the file of the master keys, so that a rotation reaches running processes, and reports
/// to the rotation which keys this process has in memory (decision 0052). One per process.
package struct MasterKeyReload: Sendable {
  /// The time within which a changed file is read.
  static let pause = Duration.seconds(1)
  /// The time between two reports of unchanged keys; a process without one for 20 s is not waited
  /// for.
  static let reportPause = Duration.seconds(5)

  private let loop: EventLoop
  private let file: MasterKeyFile
  private let keys: [AccountKeys]
  private let checks: KeyChecks
  private let database: Database
  private let log: Log
  private let process = UniversalID.random()
  private let state: LoopBound<State>

  private final class State {
    /// The names of the keys in memory.
    var names: [String]
    var reportedAt: MonotonicInstant?
    /// The last failure, which is logged once.
    var failure: StartError?

    init(_ names: [String]) { self.names = names }
  }

  /// For the keys of all loops, which use `ring`; the work runs on `loop`.
  package init(
    on loop: EventLoop, file: MasterKeyFile, ring: MasterKeyRing, keys: [AccountKeys],
    checks: KeyChecks, database: Database, log: Log
  ) {
    self.loop = loop
    self.file = file
    self.keys = keys
    self.checks = checks
    self.database = database
    self.log = log
    state = LoopBound(State(ring.identifiers.map(\.description)), on: loop)
  }

  /// The work from the start of the process to its stop.
  package var component: LifecycleComponent {
    let work = PeriodicTask(on: loop) {
      await turn()
      return Self.pause
    }
    return LifecycleComponent(
      "master keys", start: { () throws(StartError) in loop.execute { work.start() } }
    ) {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        loop.begin {
          await work.stop()
          await leave()
          continuation.resume()
        }
      }
    }
  }

  /// Reads the file, some hundred bytes of the system's cache, and reports the keys if they have
  /// changed or the last report is old.
  package func turn() async {
    do throws(StartError) {
      let hasChanged = try await reread()
      state.value.failure = nil
      let isDue = state.value.reportedAt.map { loop.now - $0 >= Self.reportPause } ?? true
      guard hasChanged || isDue else { return }
      try await report()
    } catch {
      guard state.value.failure != error else { return }
      state.value.failure = error
      log.failure("reload master keys failed", error)
    }
  }

  /// Whether the file has other keys, which all loops use now. A file that lacks a key in use is
  /// refused, and the former keys stay.
  private func reread() async throws(StartError) -> Bool {
    let ring = try file.read()
    let names = ring.identifiers.map(\.description)
    guard names != state.value.names else { return false }
    let mismatch: StartError?
    do throws(PostgresError) { mismatch = try await checks.mismatch(ofReread: ring) } catch {
      throw StartError("The master keys can't be compared: \(error.description)")
    }
    if let mismatch { throw mismatch }
    for keys in keys { await keys.use(ring) }
    state.value.names = names
    log.info("master keys reloaded", [.number("keys", names.count)])
    return true
  }

  private func report() async throws(StartError) {
    do throws(PostgresError) {
      try await database.write(ReportKeyReader(process: process, names: state.value.names))
    } catch {
      throw StartError("The master keys can't be reported: \(error.description)")
    }
    state.value.reportedAt = loop.now
  }

  private func leave() async {
    do throws(PostgresError) {
      try await database.write(RemoveKeyReader(process: process))
    } catch {
      log.failure("remove key reader failed", error, level: .warning)
    }
  }
}
