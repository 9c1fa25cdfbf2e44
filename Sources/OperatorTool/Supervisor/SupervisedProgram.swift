import CLinux
import EventLoop
import Operations

/// A program that the supervisor keeps running.
struct SupervisedProgram: Sendable {
  /// The name in messages, status and log files, such as `data4help-1`.
  var name: String
  var order: ProgramOrder
  /// The path of its log file.
  var logPath: String
  /// The addresses on which it listens, opened by the supervisor.
  var listens: [ListeningOrder] = []
  /// The addresses shown to the operator.
  var addresses: [String] = []
  /// Checks whether the program is ready. On the loop.
  var probe: @Sendable (EventLoop) async -> Bool
  /// The signal that asks the program to stop, and the one that ends it if it does not.
  var stopSignal: Int32 = SIGTERM
  var killSignal: Int32 = SIGKILL
  /// The time limits for becoming ready the first time and for stopping.
  var readyWithin = Duration.seconds(60)
  var stopWithin = Duration.seconds(15)

  /// Asks one of its processes to stop. A frozen one (SIGSTOP) is continued, as by systemd, because
  /// it would receive no other signal than SIGKILL.
  func askToStop(_ process: Int32) {
    CLinux.kill(process, stopSignal)
    CLinux.kill(process, SIGCONT)
  }

  /// Ends one of its processes that has not stopped in time.
  func kill(_ process: Int32) {
    CLinux.kill(process, killSignal)
    CLinux.kill(process, SIGCONT)
  }
}
