import CLinux
import Installation
import Operations

/// `trackme stop`: stops the system of this state directory and returns when it has ended.
enum StopCommand {
  /// The time for stopping all parts of a system one after the other: five with 15 s each, and a
  /// reserve. After it the supervisor kills what remains.
  static let stopWithin = Duration.seconds(90)
  private static let waitMax = Duration.seconds(100)

  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let installation = try Installation.find(arguments)
      guard let process = try StatusCommand.holder(installation) else {
        Terminal.say("TrackMe is not running on \(installation.state.path).")
        return
      }
      kill(process, SIGTERM)
      guard ProcessWait.waitForEnd(of: process, atMost: waitMax) else {
        throw StartError(
          "TrackMe (process \(process)) has not stopped after \(waitMax.components.seconds) s.")
      }
      Terminal.say("TrackMe has stopped.")
    }
  }
}
