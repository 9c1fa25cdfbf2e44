import Domain
import Installation
import Operations

/// The lines that tell a developer how to use the town.
struct SandboxGreeting {
  private let town: Town
  private let port: UInt16
  private let state: String
  private let program: String

  init(_ installation: Installation, _ town: Town) throws(StartError) {
    self.town = town
    port = try installation.value(SettingTable.httpPort)
    state = installation.state.path
    program = "\(installation.programs)/trackme-lab"
  }

  /// The answer of a repeated call.
  var again: [String] {
    ["The town exists already: \(town.citizens.count) people, \(town.days.count) days."] + logins
      + [
        "Its API key was shown once. For another key, log in as the company and send",
        "POST /auth/keys (docs/third-parties.md has the commands).",
        "`sandbox --live` continues the uploads.",
      ]
  }

  /// The answer of the call that completes the town.
  func lines(key: String) -> [String] {
    let trusting = SandboxLive.people(of: town).first?.email.text ?? ""
    let send = "curl -sS -H \"Authorization: Bearer $KEY\""
    let json = "-H 'Content-Type: application/json'"
    return ["", "The town is ready."] + logins + [
      "API key of the company, shown only now:",
      "  \(key)",
      "Next, in a second terminal (docs/third-parties.md explains the answers):",
      "  HTTP=http://127.0.0.1:\(port) KEY=\(key)",
      "  # people who upload now, and trust the company: requests are accepted at once",
      "  '\(program)' sandbox --live --state '\(state)' --http-port \(port) &",
      "  \(send) \(json) $HTTP/req/tp/sendSingle -d "
        + "'{\"email\":\"\(trusting)\",\"dataTypes\":[\"heartRate\"],"
        + "\"subscribing\":true,\"duration\":86400}'",
      "  # the stored samples, then each new one as it arrives",
      "  \(send) \"$HTTP/req/tp/events?since=0\" | cut -c 1-600",
      "  \(send) --no-buffer --max-time 30 $HTTP/req/tp/stream",
      "  # statistics of more than 1000 people of Lodi: take reqID from the first answer",
      "  \(send) \(json) $HTTP/req/tp/sendGroup -d '{\"dataTypes\":[\"heartRate\",\"steps\"],"
        + "\"searchParams\":[\"residence.municipality=\(TownPlace.lodi.name)\"],"
        + "\"subscribing\":false}'",
      "  \(send) \"$HTTP/req/tp/data?reqID=…\"",
    ]
  }

  private var logins: [String] {
    let parties = [
      ("company", SandboxParties.company), ("hospital", SandboxParties.hospital),
      ("running club", SandboxParties.club),
    ]
    let people = town.citizens.prefix(3).map(\.email.text).joined(separator: ", ")
    return ["Logins, all with the password \(SandboxParties.password):"]
      + parties.map { "  \($0.1.login.email)  (\($0.0))" } + ["  \(people), …  (people)"]
  }
}
