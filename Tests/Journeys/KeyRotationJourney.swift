import Foundation
import Requirements
import Support
import Synchronization
import Testing

@Suite("Rotation of keys while the system is used")
struct KeyRotationJourney {
  private func file(_ system: TestSystem, _ name: String) throws -> String {
    try String(contentsOfFile: "\(system.state)/keys/\(name)", encoding: .utf8)
  }

  /// The lines of a key file with keys.
  private func keys(_ text: String) -> [Substring] {
    text.split(separator: "\n").filter { $0.hasPrefix("trackme-") }
  }

  /// The process numbers of the services: a restarted one has another.
  private func processes(_ system: TestSystem) throws -> [Int?] {
    try ["gateway", "data4help-1", "track4run-1"].map { try system.member($0).process.int }
  }

  /// The end of the use, set by another task.
  private final class End: Sendable {
    private let isSet = Mutex(false)
    var isReached: Bool { isSet.withLock { $0 } }
    func set() { isSet.withLock { $0 = true } }
  }

  /// Uploads, logs in and registers until it is stopped; returns how often.
  private func use(
    _ system: TestSystem, _ user: SingleUser, until end: End
  ) async throws -> Int {
    var rounds = 0
    while !end.isReached {
      let time = String(format: "2024-02-%02dT%02d:00:00Z", 1 + rounds / 24 % 28, rounds % 24)
      try await user.upload("heartRate", [(time, .number(Double(60 + rounds % 40)))])
      let newcomer = try await system.singleUser()
      try await newcomer.upload("heartRate", [("2024-02-01T00:00:00Z", 61)])
      try #require(try await user.get("/settings/single").outcome == .ok)
      rounds += 1
    }
    return rounds
  }

  @Test(
    "the master key is replaced during uploads, logins and registrations, with kills on the way",
    .tags(.OPS_6))
  func master() async throws {
    let system = try await TestSystem()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
    let days = "from=2024-01-15T00:00:00Z&to=2024-01-16T00:00:00Z"
    let view = "/data/series?type=heartRate&\(days)"
    let before = try await user.get(view)
    try #require(before.outcome == .ok && before.json.points.count == 1, "\(before.text)")
    let former = try file(system, "master.key")
    let running = try processes(system)
    try #require(!running.contains(nil))

    let end = End()
    async let rounds = use(system, user, until: end)
    // The command is killed after ever longer times, and then completes.
    for hundredths in [2, 5, 10, 20, 40, 80, 150, 250] {
      _ = try await system.run(
        "timeout", "-s", "KILL", "\(Double(hundredths) / 100)",
        "\(TestSystem.programs)/trackme", "keys", "rotate", "master")
    }
    let midway = keys(try file(system, "master.key"))
    let outcome = try await system.trackme("keys", "rotate", "master")
    #expect(outcome.isSuccess, "\(outcome.output)")
    // If a killed run had completed the rotation, this one was another.
    let after = keys(try file(system, "master.key"))
    #expect(after.count == 1 && !keys(former).contains(after[0]))
    #expect(midway.count <= 2)
    end.set()
    #expect(try await rounds > 0)

    #expect(try processes(system) == running)
    #expect(keys(try file(system, "master.key.retired")).contains(keys(former)[0]))
    let name = after[0].split(separator: " ")[1]
    let others = try await system.superuser(
      """
      SELECT count(*) FROM account_keys
       WHERE encode(substring(wrapped_key FROM 2 FOR 8), 'hex') <> '\(name)'
      """, in: "trackme_keys")
    #expect(others == "0")
    // The token from before is valid, and the data the same, also after a restart of everything.
    #expect(try await user.get(view).body == before.body)
    await system.stop()
    let start = try await system.trackme("start")
    try #require(start.isSuccess, "\(start.output)")
    #expect(try await user.get(view).body == before.body)
  }

  /// What a user and a third party had before a rotation.
  private struct Before {
    let user: SingleUser
    let party: ThirdParty
    let request: String
    let key: String
    let watch: PairedDevice
    /// A device that shows its code.
    let pairing: JSONValue
    let code: JSONValue

    init(_ system: TestSystem) async throws {
      user = try await system.singleUser()
      party = try await system.thirdParty()
      try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
      request = try await party.ask(user, for: ["heartRate"])
      let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
      try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
      key = try await party.newKey("nightly").key
      watch = try await user.pair("Watch")
      let begun = try await user.client.post(
        "/devices/pair/start", ["name": "Scale", "model": "S1", "types": ["weight"]])
      try #require(begun.outcome == .ok, "\(begun.text)")
      pairing = ["pairingID": begun.json.pairingID, "pairingSecret": begun.json.pairingSecret]
      code = begun.json.code
    }

    /// Reads the data of the request with the API key, which writes an entry of the record.
    func read() async throws -> Reply {
      try await party.client.get("/req/tp/data?reqID=\(request)", token: key)
    }

    /// Uses every token from before.
    func requireValid() async throws {
      #expect(try await user.get("/auth/me").outcome == .ok)
      #expect(try await party.get("/auth/me").outcome == .ok)
      #expect(try await read().outcome == .ok)
      #expect(try await user.measure(watch.token, 71).outcome == .ok)
    }

    /// Completes the pairing that was begun before.
    func pair() async throws {
      let seen = try await user.post("/devices/pair/confirm", ["code": code])
      #expect(seen.json.name == "Scale", "\(seen.text)")
      let accepted = try await user.post(
        "/devices/pair/confirm", ["code": code, "accept": true])
      #expect(accepted.outcome == .ok, "\(accepted.text)")
      let finished = try await user.client.post("/devices/pair/finish", pairing)
      #expect(finished.json.deviceToken.text != nil, "\(finished.text)")
    }
  }

  /// Starts a program of the installation with a key file; returns its output.
  private func output(
    _ system: TestSystem, _ text: String, _ arguments: [String]
  ) async throws -> Program.Outcome {
    let path = "\(system.directory)/\(UUID().uuidString).secret"
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    return try await system.trackme(arguments, with: ["TRACKME_ROOT_SECRET_FILE": path])
  }

  @Test(
    "the root secret is replaced during use, with kills on the way; tokens and records continue",
    .tags(.OPS_6))
  func root() async throws {
    let system = try await TestSystem()
    let before = try await Before(system)
    #expect(try await before.read().outcome == .ok)
    let former = try file(system, "root.secret")
    let running = try processes(system)
    try #require(!running.contains(nil))

    let end = End()
    async let rounds = use(system, before.user, until: end)
    for hundredths in [2, 5, 10, 20, 40, 80, 150, 250] {
      _ = try await system.run(
        "timeout", "-s", "KILL", "\(Double(hundredths) / 100)",
        "\(TestSystem.programs)/trackme", "keys", "rotate", "root")
      try await before.requireValid()
    }
    let outcome = try await system.trackme("keys", "rotate", "root")
    #expect(outcome.isSuccess, "\(outcome.output)")
    end.set()
    #expect(try await rounds > 0)

    let after = keys(try file(system, "root.secret"))
    let secrets = after.filter { $0.hasPrefix("trackme-root-secret-1") }
    #expect(secrets.count == 1 && !keys(former).contains(secrets[0]))
    #expect(after.count > 1)
    #expect(keys(try file(system, "root.secret.retired")).contains(keys(former)[0]))
    #expect(try processes(system) == running)
    try await before.requireValid()
    try await before.pair()
    let audit = try await system.trackme("audit", "verify")
    #expect(audit.isSuccess, "\(audit.output)")
    // The former file opens nothing any longer.
    let refused = try await output(system, former, ["audit", "verify"])
    #expect(!refused.isSuccess)
    #expect(refused.output.contains("belongs to another installation"), "\(refused.output)")
    let restored = try await system.trackme("keys", "restore")
    #expect(restored.output.contains("there is nothing to do"), "\(restored.output)")

    // A person is known by the same email after a restart of everything.
    await system.stop()
    let start = try await system.trackme("start")
    try #require(start.isSuccess, "\(start.output)")
    try await before.requireValid()
    let login: JSONValue = [
      "email": .text(before.user.person.email), "password": .text(People.password),
      "replace": true,
    ]
    #expect(try await before.user.client.post("/auth/login", login).outcome == .ok)
  }

  @Test("a process that ends removes its reports of keys, so that no rotation waits", .tags(.OPS_6))
  func reports() async throws {
    let system = try await TestSystem()
    let status = try await system.trackme("status")
    let processes = status.output.split(separator: "\n").filter { $0.contains(" metrics ") }.count
    func reported() async throws -> Bool {
      let rows = try await system.superuser("SELECT count(*) FROM trackme.root_readers")
      return rows == "\(processes)"
    }
    try await eventually("every process has reported") { try await reported() }
    for member in ["gateway", "data4help-1", "track4run-1"] {
      let outcome = try await system.trackme("replace", member)
      try #require(outcome.isSuccess, "\(outcome.output)")
      try await eventually("the former \(member) has removed its report") { try await reported() }
    }
  }
}
