import CLinux
import EventLoop
import Installation
import Operations

/// `trackme start`: runs `trackme run` in the background and returns when the system is ready. If
/// it is already running, the command prints the same addresses and succeeds.
enum StartCommand {
  static func run(_ arguments: [String]) -> Int32 {
    Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      try Commands.refuse(operands)
      try installation.prepareState()
      let holder = try StatusCommand.holder(installation)
      if let holder {
        Terminal.say(
          "TrackMe is already running on \(installation.state.path) (process \(holder)).")
        let status = try SystemStatus.read(from: installation.state.file("status.json"))
        guard status.isReady else { throw StartError("Not everything is ready: see its status.") }
      } else {
        try launch(arguments, installation)
      }
      for line in try Greeting(installation, try ServicePlan(installation)).lines {
        Terminal.say(line)
      }
    }
  }

  private static func launch(
    _ arguments: [String], _ installation: Installation
  ) throws(StartError) {
    let log = installation.state.file("logs/supervisor.log")
    guard try word(arguments, installation, log: log).contains("ready") else {
      throw StartError(lastLine(of: log) ?? "TrackMe could not be started: see \(log).")
    }
  }

  /// Starts the supervisor in a new session and waits until it reports or ends.
  private static func word(
    _ arguments: [String], _ installation: Installation, log: String
  ) throws(StartError) -> String {
    do throws(SystemError) {
      try FileSystem.remove(log)
      // SAFETY: the texts are passed as C strings for the calls.
      let output = try SystemError.check(
        "open", unsafe linux_open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600))
      defer { close(output) }
      let input = try SystemError.check(
        "open", unsafe linux_open("/dev/null", O_RDONLY | O_CLOEXEC, 0))
      defer { close(input) }
      let report = try Pipe()
      defer { report.close() }
      var order = ProgramOrder(
        executable: "\(installation.programs)/trackme",
        arguments: ["run", RunCommand.reportFlag] + arguments, environment: processEnvironment())
      order.isSession = true
      _ = try order.start(
        .init(input: input, output: output, errors: output, extra: report.writing))
      report.closeWriting()
      return String(decoding: report.readToEnd(bytesMax: 100), as: UTF8.self)
    } catch {
      throw StartError("TrackMe could not be started", error)
    }
  }

  private static func lastLine(of path: String) -> String? {
    do throws(SystemError) {
      let text = String(decoding: try FileSystem.read(path, bytesMax: 1 << 20), as: UTF8.self)
      return text.split(separator: "\n").last.map(String.init)
    } catch {
      return nil
    }
  }
}
