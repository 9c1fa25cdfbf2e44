import CLinux
import EventLoop
import Operations

/// A program that the supervisor keeps running.
struct SupervisedProgram: Sendable {
  /// Its name in messages, status and log files, as `data4help-1`.
  var name: String
  var order: ProgramOrder
  /// Where its output goes.
  var logPath: String
  /// Where it can be reached, for the operator.
  var addresses: [String] = []
  /// Asks the program whether it serves. On the loop.
  var probe: @Sendable (EventLoop) async -> Bool
  /// The signal that asks it to stop, and the one that ends it when it does not.
  var stopSignal: Int32 = SIGTERM
  var killSignal: Int32 = SIGKILL
  /// How long it may take to become ready the first time, and to stop.
  var readyWithin = Duration.seconds(60)
  var stopWithin = Duration.seconds(15)
}
