import CLinux
import EventLoop
import Operations

/// Learns of children that ended, and forgets them. On one loop.
final class Reaper {
  private var watched: [Int32: (ExitStatus) -> Void] = [:]
  private var source: SignalSource?

  init(on loop: EventLoop) throws(SystemError) {
    source = try SignalSource([SIGCHLD], on: loop) { [weak self] _ in self?.collect() }
  }

  /// Calls `ended` once, when `process` ended. In the turn that started it, at the latest.
  func watch(_ process: Int32, _ ended: @escaping (ExitStatus) -> Void) {
    watched[process] = ended
  }

  /// Several ends may come as one signal: all children are asked, but only ours, since tools wait
  /// for their own.
  private func collect() {
    for process in watched.keys.sorted() {
      var word: Int32 = 0
      // SAFETY: `word` outlives the call.
      guard unsafe waitpid(process, &word, WNOHANG) == process else { continue }
      watched.removeValue(forKey: process)?(ExitStatus(word: word))
    }
  }
}
