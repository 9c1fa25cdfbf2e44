import CLinux
import EventLoop
import Operations

extension Commands {
  /// Begins a command that serves: a signal asks it to stop, its end is that of the process. On the
  /// loop.
  static func run(_ lifecycle: Lifecycle, on loop: EventLoop) {
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
