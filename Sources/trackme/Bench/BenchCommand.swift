import Operations

/// `trackme bench`: what the benchmarks need that only our own code can make. `make bench` calls
/// it; nothing of it is meant for an installation with people in it.
enum BenchCommand {
  static let usage = """
    usage: trackme bench backend unix:/PATH
           trackme bench accounts COUNT --tokens FILE [--parties-from NUMBER]
           trackme bench statements --account NUMBER
           trackme bench delivery PORT PEOPLE PARTIES RATE SECONDS START
           trackme bench detector READINGS
           trackme bench live PORT RUN START RUNNERS SPECTATORS SECONDS
    """

  static func run(_ arguments: [String]) -> Int32 {
    let rest = Array(arguments.dropFirst())
    switch (arguments.first, rest.count) {
    case ("backend", 1):
      return Commands.reporting { () throws(StartError) in
        try BenchBackend.run(at: rest[0])
      }
    case ("accounts", 3...): return BenchAccounts.run(rest)
    case ("statements", 2) where rest[0] == "--account":
      return BenchStatements.run(account: rest[1])
    case ("delivery", _):
      return Commands.reporting { () throws(StartError) in try BenchDelivery.run(rest) }
    case ("detector", 1):
      return Commands.reporting { () throws(StartError) in
        try BenchDetector.run(readings: rest[0])
      }
    case ("live", _):
      return Commands.reporting { () throws(StartError) in try BenchLive.run(rest) }
    default:
      Terminal.complain(usage)
      return 2
    }
  }
}
