import Operations

/// The commands of a program by name: runs one, and prints the help.
package struct Commands {
  /// A command receives the arguments after its name and returns the exit code.
  package struct Command {
    let name: String
    let summary: String
    /// The arguments of the command, for the help text.
    let usage: String?
    let run: ([String]) -> Int32

    /// A command; without `usage`, its help shows only the name.
    package init(
      name: String, summary: String, usage: String? = nil, run: @escaping ([String]) -> Int32
    ) {
      self.name = name
      self.summary = summary
      self.usage = usage
      self.run = run
    }
  }

  private let program: String
  private let commands: [Command]

  private static let help = "help"

  /// The commands of the program with this name, in the order of its help. Help and version are
  /// added.
  package init(of program: String, _ commands: [Command]) {
    self.program = program
    self.commands = commands
  }

  /// Runs the command that the first argument names.
  ///
  /// - Returns: the exit code: 2 for an unknown command, as for invalid arguments of every command.
  package func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first else {
      Terminal.complain(usage)
      return 2
    }
    if name == Self.help || ProgramHelp.helpFlags.contains(name) {
      Terminal.say(usage)
      return 0
    }
    if name == ProgramHelp.versionFlag {
      Terminal.say("\(program) \(ProgramHelp.version)")
      return 0
    }
    guard let command = commands.first(where: { $0.name == name }) else {
      Terminal.complain("\(program) has no command \(name).\n\(usage)")
      return 2
    }
    let rest = Array(arguments.dropFirst())
    guard ProgramHelp.helpFlags.isDisjoint(with: rest) else {
      Terminal.say("\(command.usage ?? "usage: \(program) \(name)")\n\(command.summary)")
      Terminal.say("Settings can also be flags: `trackme settings --table` lists all of them.")
      return 0
    }
    return command.run(rest)
  }

  /// Runs a command's work and returns 0, or prints one line about the error and returns 1.
  package static func reporting(_ work: () throws(StartError) -> Void) -> Int32 {
    do throws(StartError) {
      try work()
      return 0
    } catch {
      Terminal.complain(error.description)
      return 1
    }
  }

  /// For commands without arguments other than settings.
  ///
  /// - Throws: `StartError` that names the first operand.
  package static func refuse(_ operands: [String]) throws(StartError) {
    if let operand = operands.first { throw StartError("\(operand) is not a valid argument here.") }
  }

  private var usage: String {
    let entries =
      commands.map { (name: $0.name, summary: $0.summary) }
      + [
        (name: Self.help, summary: "print this list"),
        (name: ProgramHelp.versionFlag, summary: "print the version"),
      ]
    let width = entries.map { $0.name.count }.max() ?? 0
    let lines = entries.map { entry in
      let padding = String(repeating: " ", count: width - entry.name.count)
      return "  \(program) \(entry.name)\(padding)  \(entry.summary)"
    }
    return (["usage:"] + lines).joined(separator: "\n")
  }
}
