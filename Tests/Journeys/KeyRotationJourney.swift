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
}
