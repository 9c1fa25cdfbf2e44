import CLinux
import EventLoop

/// Delivers the process's signals as events of a loop (signalfd(2)), so that no code runs in a
/// signal handler.
package final class SignalSource: ReadinessHandler {
  /// The signals that ask a process to stop.
  package static let stopSignals: [Int32] = [SIGTERM, SIGINT, SIGHUP]

  private let descriptor: Int32
  private let handle: (Int32) -> Void
  private var registration: Registration?

  /// Blocks `signals` in this thread and in threads that it starts later, and ignores `SIGPIPE`.
  /// Call it first in `main`: a signal delivered to a thread that does not block it would end the
  /// process.
  package static func block(_ signals: [Int32]) {
    var set = signalSet(signals)
    // SAFETY: the set outlives the call.
    unsafe _ = pthread_sigmask(SIG_BLOCK, &set, nil)
    linux_ignore_signal(SIGPIPE)
  }

  /// Calls `handle` on `loop` with the number of each signal received. On the loop.
  ///
  /// - Throws: `SystemError` when the system refuses another descriptor.
  package init(
    _ signals: [Int32], on loop: EventLoop, _ handle: @escaping (Int32) -> Void
  ) throws(SystemError) {
    self.handle = handle
    var set = Self.signalSet(signals)
    // SAFETY: the set outlives the call.
    descriptor = try SystemError.check(
      "signalfd", unsafe signalfd(-1, &set, Int32(SFD_CLOEXEC | SFD_NONBLOCK)))
    registration = try loop.register(descriptor, self)
  }

  /// Stops delivering signals; they stay blocked.
  package func cancel() {
    registration?.cancel()
    registration = nil
    close(descriptor)
  }

  /// Reads all pending signals.
  package func ready(_ readiness: Readiness) {
    while registration != nil {
      var information = signalfd_siginfo()
      let size = MemoryLayout<signalfd_siginfo>.size
      // SAFETY: reads at most the size of `information` into it.
      let count = unsafe read(descriptor, &information, size)
      guard count == size else { return }
      handle(Int32(information.ssi_signo))
    }
  }

  private static func signalSet(_ signals: [Int32]) -> sigset_t {
    var set = sigset_t()
    // SAFETY: the set outlives the calls.
    unsafe _ = sigemptyset(&set)
    for signal in signals { unsafe _ = sigaddset(&set, signal) }
    return set
  }
}
