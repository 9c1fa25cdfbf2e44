import Cryptography
import EventLoop
import Operations

/// Follows the file of the root secret, so that running processes accept a further secret at its
/// end, and refuse one that was removed (decision 0052). One per process.
package struct RootSecretReload: Sendable {
  /// The time within which a changed file is read.
  static let pause = Duration.seconds(1)

  private let loop: EventLoop
  private let settings: Settings
  private let root: RootSecret
  private let log: Log
  private let state: LoopBound<State>

  private final class State {
    /// The last failure, which is logged once.
    var failure: StartError?
  }

  /// For the root secret of the process, whose file the settings name; the work runs on `loop`.
  package init(on loop: EventLoop, settings: Settings, root: RootSecret, log: Log) {
    self.loop = loop
    self.settings = settings
    self.root = root
    self.log = log
    state = LoopBound(State(), on: loop)
  }

  /// For the root secret of a process, on its first loop.
  package init(_ process: ServiceProcess, root: RootSecret) {
    self.init(on: process.loops[0], settings: process.settings, root: root, log: process.log)
  }

  /// The work from the start of the process to its stop.
  package var component: LifecycleComponent {
    LifecycleComponent(
      "root secret",
      repeating: PeriodicTask(on: loop) {
        turn()
        return Self.pause
      }, on: loop)
  }

  /// Reads the file, some hundred bytes of the system's cache. A file that is unreadable, or begins
  /// with another secret than the one in use, is refused, and the former secrets stay. On the loop.
  package func turn() {
    do throws(StartError) {
      try reread()
      state.value.failure = nil
    } catch {
      guard state.value.failure != error else { return }
      state.value.failure = error
      log.failure("reload root secret failed", error)
    }
  }

  private func reread() throws(StartError) {
    let ring = try settings.rootKeys()
    guard ring.identifiers != root.ring.identifiers else { return }
    guard ring.identifiers[0] == root.identifier else {
      throw StartError(
        "The file of the root secret begins with \(ring.identifiers[0]), but \(root.identifier) "
          + "is in use. Put it back in front.")
    }
    root.use(ring)
    log.info("root secret reloaded", [.number("secrets", ring.identifiers.count)])
  }
}
