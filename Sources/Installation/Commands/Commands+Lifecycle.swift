import CLinux
import EventLoop
import Operations

extension Commands {
  /// Runs a command that serves: a signal stops it, and its end ends the process, after
  /// `atEnd`. On the loop.
  package static func run(
    _ lifecycle: Lifecycle, on loop: EventLoop, atEnd: @escaping () -> Void = {}
  ) {
    do throws(SystemError) {
      let signals = try SignalSource(SignalSource.stopSignals, on: loop) { _ in
        lifecycle.requestStop()
      }
      lifecycle.begin { code, failure in
        signals.cancel()
        if let failure { Terminal.complain(failure.description) }
        atEnd()
        _exit(code.rawValue)
      }
    } catch {
      Terminal.complain("\(error)")
      _exit(ExitCode.failure.rawValue)
    }
  }
}
