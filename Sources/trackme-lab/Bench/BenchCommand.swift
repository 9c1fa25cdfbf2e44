import Cryptography
import Installation
import Operations
import ServiceKit

/// `trackme-lab bench`: the parts of the benchmarks that need the product's own code. `make bench`
/// calls it; it is not meant for an installation with real people.
enum BenchCommand {
  static let usage = """
    usage: trackme-lab bench backend unix:/PATH
           trackme-lab bench accounts COUNT --tokens FILE [--parties-from NUMBER]
           trackme-lab bench statements --account NUMBER
           trackme-lab bench delivery PORT PEOPLE PARTIES RATE SECONDS START
           trackme-lab bench detector READINGS
           trackme-lab bench live PORT RUN START RUNNERS SPECTATORS SECONDS
           trackme-lab bench sos PORT PEOPLE WATCHED RATE ALARMS SECONDS
           trackme-lab bench flood PORT PEOPLE RATE SAMPLES CONNECTIONS SECONDS
           trackme-lab bench registered COUNT --tokens FILE
           trackme-lab bench joins PORT RUN TOKENS CONNECTIONS
           trackme-lab bench secret
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
    case ("sos", _):
      return Commands.reporting { () throws(StartError) in try BenchSOS.run(rest) }
    case ("flood", _):
      return Commands.reporting { () throws(StartError) in try BenchFlood.run(rest) }
    case ("registered", _):
      return Commands.reporting { () throws(StartError) in try BenchRegistered.run(rest) }
    case ("live", _):
      return Commands.reporting { () throws(StartError) in try BenchLive.run(rest) }
    case ("joins", _):
      return Commands.reporting { () throws(StartError) in try BenchJoins.run(rest) }
    case ("secret", 0):
      return Commands.reporting { () throws(StartError) in try printSecret() }
    default:
      Terminal.complain(usage)
      return 2
    }
  }

  /// Prints the secret that a request to a service needs when it bypasses the gateway. Every reader
  /// of the root secret's file may know it.
  private static func printSecret() throws(StartError) {
    let (installation, _) = try Installation.read([])
    let secret = InternalSecret(root: try installation.settings.rootSecret())
    Terminal.say(
      secret.withHeaderValue { value in
        String(decoding: value.indices.map { value[$0] }, as: UTF8.self)
      })
  }
}
