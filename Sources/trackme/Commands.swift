/// The commands of the operator's tool by name.
enum Commands {
  /// A command takes what follows its name and returns the exit code.
  struct Command {
    var name: String
    var summary: String
    var run: ([String]) -> Int32
  }

  static var all: [Command] {
    [
      Command(
        name: "trace", summary: "write the table of requirements and the tests that show them",
        run: TraceCommand.run)
    ]
  }

  /// Exit code 2 for a command that does not exist, as for wrong arguments everywhere.
  static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first, let command = all.first(where: { $0.name == name }) else {
      Terminal.complain(usage)
      return 2
    }
    return command.run(Array(arguments.dropFirst()))
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
