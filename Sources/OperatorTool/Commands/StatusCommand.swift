import EventLoop
import Installation
import Operations

/// `trackme status`: prints pid, uptime, restarts and addresses of each process. The exit code is 0
/// only if all of them are ready.
enum StatusCommand {
  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let installation = try Installation.find(arguments)
      guard let process = try holder(installation) else {
        throw StartError("TrackMe is not running on \(installation.state.path).")
      }
      let status = try SystemStatus.read(from: installation.state.file("status.json"))
      Terminal.say("supervisor process \(process), state \(installation.state.path)")
      for line in status.lines(now: Environment.system.now()) { Terminal.say(line) }
      guard status.isReady else { throw StartError("Not everything is ready.") }
    }
  }

  /// The pid of the running supervisor, or `nil`.
  static func holder(_ installation: Installation) throws(StartError) -> Int32? {
    do throws(SystemError) {
      return try InstanceLock.holder(installation.state)
    } catch {
      throw StartError("The state directory \(installation.state.path) cannot be read", error)
    }
  }
}
