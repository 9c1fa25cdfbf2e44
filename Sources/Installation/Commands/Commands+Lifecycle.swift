import CLinux
import EventLoop
import Operations

extension Commands {
  /// Runs a command that serves: a signal stops it, and its end ends the process. On the loop.
  package static func run(_ lifecycle: Lifecycle, on loop: EventLoop) {
    do throws(SystemError) {
      let signals = try SignalSource(SignalSource.stopSignals, on: loop) { _ in
        lifecycle.requestStop()
      }
      lifecycle.begin { code, failure in
        signals.cancel()
        if let failure { Terminal.complain(failure.description) }
        _exit(code.rawValue)
      }
    } catch {
      Terminal.complain("\(error)")
      _exit(ExitCode.failure.rawValue)
    }
  }
}
