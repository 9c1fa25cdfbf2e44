import Bytes
import Cryptography
import EventLoop
import Operations
import Postgres
import Time

/// Keys of a file that a process follows.
package protocol FollowedKeys: Sendable {
  /// Reads the file; if its keys are not those of these names, the process uses them from then on,
  /// and their names are returned. A file that does not belong to the database is refused, and the
  /// former keys stay.
  ///
  /// - Throws: `StartError` for a refused file.
  func reread(_ names: [String]) async throws(StartError) -> [String]?
  /// Reports which keys the process has in memory.
  func report(_ process: UniversalID, _ names: [String]) async throws(PostgresError)
  /// Removes the report of a process that stops.
  func leave(_ process: UniversalID) async throws(PostgresError)
  /// Compares the keys in memory with the database.
  ///
  /// - Throws: `StartError` if they no longer belong to it, as after a rotation that has not waited
  ///   for this process.
  func compare() async throws(StartError)
}

extension FollowedKeys {
  /// Compares nothing.
  package func compare() async throws(StartError) {}
}

/// Follows a key file, so that a rotation reaches running processes, and reports to the rotation
/// which keys this process has in memory (decision 0052). One per process and file.
package struct KeyFileFollower: Sendable {
  /// The time within which a changed file is read.
  static let pause = Duration.seconds(1)
  /// The time between two reports of unchanged keys; a process without one for 20 s is not waited
  /// for.
  static let reportPause = Duration.seconds(5)

  private let subject: StaticString
  private let keys: any FollowedKeys
  private let loop: EventLoop
  private let log: Log
  private let process = UniversalID.random()
  private let state: LoopBound<State>

  private final class State {
    /// The names of the keys in memory.
    var names: [String]
    var reportedAt: MonotonicInstant?
    /// The last failure of reading the file, which is logged once.
    var failure: StartError?
    /// The last failure of a report, which is logged once.
    var reportFailure: PostgresError?
    /// The last failure of a comparison, which is logged once.
    var mismatch: StartError?

    init(_ names: [String]) { self.names = names }
  }

  /// Follows `keys` on `loop`. The process starts with the keys of these names; `subject` is their
  /// name in the log.
  package init(
    _ subject: StaticString, _ keys: any FollowedKeys, names: [String], on loop: EventLoop, log: Log
  ) {
    self.subject = subject
    self.keys = keys
    self.loop = loop
    self.log = log
    state = LoopBound(State(names), on: loop)
  }

  /// The work from the start of the process to its stop.
  package var component: LifecycleComponent {
    let work = PeriodicTask(on: loop) {
      await turn()
      return Self.pause
    }
    return LifecycleComponent(subject, repeating: work, on: loop) { await leave() }
  }

  /// Reads the file, some hundred bytes of the system's cache, and reports the keys if they have
  /// changed or the last report is old.
  package func turn() async {
    do throws(StartError) {
      let changed = try await keys.reread(state.value.names)
      if let changed {
        state.value.names = changed
        log.info(
          "keys reloaded", [.constant("file", subject), .number("keys", changed.count)])
      }
      state.value.failure = nil
      let isDue = state.value.reportedAt.map { loop.now - $0 >= Self.reportPause } ?? true
      guard changed != nil || isDue, await report() else { return }
      await compare()
    } catch {
      guard state.value.failure != error else { return }
      state.value.failure = error
      log.failure("reload keys failed", error, .constant("file", subject))
    }
  }

  /// Returns whether the keys were reported.
  private func report() async -> Bool {
    do throws(PostgresError) { try await keys.report(process, state.value.names) } catch {
      if state.value.reportFailure != error {
        state.value.reportFailure = error
        log.failure("report keys failed", error, .constant("file", subject))
      }
      return false
    }
    state.value.reportFailure = nil
    state.value.reportedAt = loop.now
    return true
  }

  private func compare() async {
    do throws(StartError) {
      try await keys.compare()
      state.value.mismatch = nil
    } catch {
      guard state.value.mismatch != error else { return }
      state.value.mismatch = error
      log.failure("compare keys failed", error, .constant("file", subject))
    }
  }

  private func leave() async {
    do throws(PostgresError) { try await keys.leave(process) } catch {
      log.failure(
        "remove report of keys failed", error, level: .warning, .constant("file", subject))
    }
  }
}
