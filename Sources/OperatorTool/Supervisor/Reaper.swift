import CLinux
import EventLoop
import Operations

/// Reports and reaps ended child processes. On one loop.
final class Reaper {
  private var watched: [Int32: (ExitStatus) -> Void] = [:]
  private var source: SignalSource?

  init(on loop: EventLoop) throws(SystemError) {
    source = try SignalSource([SIGCHLD], on: loop) { [weak self] _ in self?.collect() }
  }

  /// Calls `ended` once when `process` has ended. To be called in the turn that started the
  /// process.
  func watch(_ process: Int32, _ ended: @escaping (ExitStatus) -> Void) {
    watched[process] = ended
  }

  /// Whether this process has not ended yet, and its end will be reported.
  func isWatched(_ process: Int32) -> Bool { watched[process] != nil }

  /// One signal may be for several ended children, so every watched child is checked. Other
  /// children are left to the tools that wait for them.
  private func collect() {
    for process in watched.keys.sorted() {
      var word: Int32 = 0
      // SAFETY: `word` outlives the call.
      guard unsafe waitpid(process, &word, WNOHANG) == process else { continue }
      watched.removeValue(forKey: process)?(ExitStatus(word: word))
    }
  }
}
