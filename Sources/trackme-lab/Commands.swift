import Installation

extension Commands {
  /// The commands of the lab, in the order of its help.
  static var lab: Commands {
    Commands(
      of: "trackme-lab",
      [
        Command(
          name: "demo", summary: "load demo data; `trackme run` starts this on an empty database",
          run: DemoCommand.run),
        Command(
          name: "simulate",
          summary: "simulate a phone (simulate device) or a whole run (simulate run)",
          usage: "\(SimulateCommand.usage)\n\(SimulateRunCommand.usage)",
          run: SimulateCommand.run),
        Command(
          name: "generate", summary: "generate an export to import, or people for groups",
          usage: "\(GenerateCommand.usage)\n\(GeneratedPeople.usage)", run: GenerateCommand.run),
        Command(
          name: "sandbox",
          summary: "make a town of people with a year of life, for developers of third parties",
          usage: SandboxCommand.usage, run: SandboxCommand.run),
        Command(
          name: "broker",
          summary: "run the payment broker for tests; `trackme run` starts it if needed",
          run: BrokerCommand.run),
        Command(
          name: "bench", summary: "the helper commands of `make bench`", usage: BenchCommand.usage,
          run: BenchCommand.run),
        Command(
          name: "trace", summary: "write the table of requirements and the tests that show them",
          usage: TraceCommand.usage, run: TraceCommand.run),
        Command(
          name: "types", summary: "print the API's TypeScript declarations for the web pages",
          run: TypesCommand.run),
      ])
  }
}
