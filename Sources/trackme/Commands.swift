import Operations

/// The commands of the operator's tool by name.
enum Commands {
  /// A command receives the arguments after its name and returns the exit code.
  struct Command {
    var name: String
    var summary: String
    /// The arguments of the command, for the help text.
    var usage: String?
    var run: ([String]) -> Int32
  }

  static var all: [Command] {
    [
      Command(
        name: "run", summary: "run the whole system in the foreground; Ctrl-C stops it",
        run: RunCommand.run),
      Command(name: "start", summary: "run it in the background", run: StartCommand.run),
      Command(
        name: "stop", summary: "stop the system of this state directory",
        run: StopCommand.run),
      Command(name: "status", summary: "show processes and addresses", run: StatusCommand.run),
      Command(
        name: "migrate", summary: "migrate the databases of an external server",
        run: MigrateCommand.run),
      Command(
        name: "audit", summary: "verify the record of accesses to personal data (audit verify)",
        run: AuditCommand.run),
      Command(
        name: "documents",
        summary: "publish a policy that registrations must consent to (documents publish …)",
        usage: DocumentsCommand.usage, run: DocumentsCommand.run),
      Command(
        name: "hospitals",
        summary: "approve a third party as a hospital, or revoke it (hospitals approve …)",
        usage: HospitalsCommand.usage, run: HospitalsCommand.run),
      Command(
        name: "settings", summary: "print settings and their sources (--table: all of them)",
        run: SettingsCommand.run),
      Command(
        name: "generate", summary: "generate an export to import, or people for groups",
        usage: "\(GenerateCommand.usage)\n\(GeneratedPeople.usage)", run: GenerateCommand.run),
      Command(
        name: "simulate",
        summary: "simulate a phone (simulate device) or a whole run (simulate run)",
        usage: "\(SimulateCommand.usage)\n\(SimulateRunCommand.usage)", run: SimulateCommand.run),
      Command(
        name: "broker",
        summary: "run the payment broker for tests; `trackme run` starts it if needed",
        run: BrokerCommand.run),
      Command(
        name: "trace", summary: "write the table of requirements and the tests that show them",
        run: TraceCommand.run),
      Command(
        name: "bench", summary: "the helper commands of `make bench`", run: BenchCommand.run),
      Command(name: "help", summary: "print this list", run: help),
    ]
  }

  private static let helpFlags: Set<String> = ["--help", "-h"]

  /// Returns exit code 2 for an unknown command, as for invalid arguments of every command.
  static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first else {
      Terminal.complain(usage)
      return 2
    }
    if helpFlags.contains(name) { return help([]) }
    guard let command = all.first(where: { $0.name == name }) else {
      Terminal.complain("trackme has no command \(name).\n\(usage)")
      return 2
    }
    let rest = Array(arguments.dropFirst())
    guard helpFlags.isDisjoint(with: rest) else {
      Terminal.say("\(command.usage ?? "usage: trackme \(name)")\n\(command.summary)")
      Terminal.say("Settings can also be flags: `trackme settings --table` lists all of them.")
      return 0
    }
    return command.run(rest)
  }

  /// Runs a command's work and returns 0, or prints one line about the error and returns 1.
  static func reporting(_ work: () throws(StartError) -> Void) -> Int32 {
    do throws(StartError) {
      try work()
      return 0
    } catch {
      Terminal.complain(error.description)
      return 1
    }
  }

  /// For commands without arguments other than settings.
  static func refuse(_ operands: [String]) throws(StartError) {
    if let operand = operands.first { throw StartError("\(operand) is not a valid argument here.") }
  }

  private static func help(_ arguments: [String]) -> Int32 {
    Terminal.say(usage)
    return 0
  }

  private static var usage: String {
    let width = all.map(\.name.count).max() ?? 0
    let lines = all.map { command in
      let padding = String(repeating: " ", count: width - command.name.count)
      return "  trackme \(command.name)\(padding)  \(command.summary)"
    }
    return (["usage:"] + lines).joined(separator: "\n")
  }
}
