import Operations

/// The commands of the operator's tool by name.
enum Commands {
  /// A command takes what follows its name and returns the exit code.
  struct Command {
    var name: String
    var summary: String
    /// What can follow the name, where something can.
    var usage: String?
    var run: ([String]) -> Int32
  }

  static var all: [Command] {
    [
      Command(
        name: "run", summary: "everything in the foreground; Ctrl-C stops it",
        run: RunCommand.run),
      Command(name: "start", summary: "the same in the background", run: StartCommand.run),
      Command(
        name: "stop", summary: "stop what runs on this state directory",
        run: StopCommand.run),
      Command(name: "status", summary: "what is running, and where", run: StatusCommand.run),
      Command(
        name: "migrate", summary: "bring a database server of your own forward",
        run: MigrateCommand.run),
      Command(
        name: "audit", summary: "verify the record of accesses to personal data (audit verify)",
        run: AuditCommand.run),
      Command(
        name: "documents",
        summary: "publish a policy that registering needs consent to (documents publish …)",
        usage: DocumentsCommand.usage, run: DocumentsCommand.run),
      Command(
        name: "hospitals",
        summary: "let a third party answer emergencies, or no more (hospitals approve …)",
        usage: HospitalsCommand.usage, run: HospitalsCommand.run),
      Command(
        name: "settings", summary: "what holds here and where it came from (--table: everything)",
        run: SettingsCommand.run),
      Command(
        name: "generate", summary: "an export to try the import with, or people for groups",
        usage: "\(GenerateCommand.usage)\n\(GeneratedPeople.usage)", run: GenerateCommand.run),
      Command(
        name: "simulate",
        summary: "a phone that pairs and uploads (simulate device), a whole run (simulate run)",
        usage: "\(SimulateCommand.usage)\n\(SimulateRunCommand.usage)", run: SimulateCommand.run),
      Command(
        name: "broker",
        summary: "takes payments in play; `trackme run` starts it where it is needed",
        run: BrokerCommand.run),
      Command(
        name: "trace", summary: "write the table of requirements and the tests that show them",
        run: TraceCommand.run),
      Command(
        name: "bench", summary: "what `make bench` needs of us", run: BenchCommand.run),
      Command(name: "help", summary: "this list", run: help),
    ]
  }

  private static let helpFlags: Set<String> = ["--help", "-h"]

  /// Exit code 2 for a command that does not exist, as for wrong arguments everywhere.
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
      Terminal.say("Settings are given as flags too: `trackme settings --table` has all of them.")
      return 0
    }
    return command.run(rest)
  }

  /// Runs a command's work: 0, or 1 after one line that says why not.
  static func reporting(_ work: () throws(StartError) -> Void) -> Int32 {
    do throws(StartError) {
      try work()
      return 0
    } catch {
      Terminal.complain(error.description)
      return 1
    }
  }

  /// For commands that take settings and nothing else.
  static func refuse(_ operands: [String]) throws(StartError) {
    if let operand = operands.first { throw StartError("\(operand) is not understood here.") }
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
