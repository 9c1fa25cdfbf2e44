import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("A database whose disk is full")
struct FullDiskJourney {
  /// How often each effect is tried while the disk is full, across crashes and restarts.
  private static let roundCount = 3
  private static let before: [(String, JSONValue)] = [
    ("2024-01-15T10:00:00Z", 60), ("2024-01-15T10:01:00Z", 61),
  ]

  /// The operations tried while the disk is full.
  private struct Stage {
    let system: TestSystem
    let user: SingleUser
    let party: ThirdParty
    let request: String
    let newcomer = People.person()

    func upload(_ number: Int) async throws -> Reply {
      try await user.post(
        "/data/upload",
        [
          "dataTypes": ["heartRate", "heartRate"], "values": [70, 71],
          "timestamp": [
            .text("2024-02-15T1\(number):00:00Z"), .text("2024-03-15T1\(number):00:00Z"),
          ],
        ])
    }

    func register() async throws -> Reply {
      try await user.client.post("/auth/reg/single", newcomer.registration)
    }

    func accept() async throws -> Reply {
      try await user.post(
        "/req/single/choice", ["reqID": .text(request), "choice": "accept"])
    }

    /// The times of all stored heart rates, once the database answers.
    func storedTimes() async throws -> [String] {
      try await answer { try await user.get("/data/series?type=heartRate") }
        .json.points.items.compactMap(\.time.text)
    }

    /// Retries until the status is not 503, because each process reconnects to the database by
    /// itself.
    func answer(_ ask: () async throws -> Reply) async throws -> Reply {
      try await eventually("an answer of the database", within: .seconds(180)) {
        let reply = try await ask()
        return reply.status == 503 ? nil : reply
      }
    }
  }

  @Test(
    "a full database acknowledges nothing, and recovers by itself once there is space",
    .tags(.NFR_4))
  func full() async throws {
    let disk = try await FullDisk()
    let system = try await TestSystem(disk.settings)
    let (user, party) = (try await system.singleUser(), try await system.thirdParty())
    try await user.upload("heartRate", Self.before)
    let request = try await party.ask(user, for: ["heartRate"])
    let stage = Stage(system: system, user: user, party: party, request: request)

    try disk.fill(of: system)
    for round in 0..<Self.roundCount {
      for reply in [
        try await stage.upload(round), try await stage.register(), try await stage.accept(),
      ] { Self.expectRefused(reply) }
    }
    // The supervisor copies the server's output into its log.
    _ = try await eventually("the server's own words") {
      let logs = try system.databaseLogs.map { try String(contentsOfFile: $0, encoding: .utf8) }
      return logs.contains { $0.contains("No space left on device") } ? true : nil
    }

    try disk.free(of: system)
    try await system.startDatabase()
    #expect(try await stage.storedTimes() == Self.before.map(\.0))
    let list = try await stage.answer { try await party.get("/req/tp/list") }
    #expect(list.json.requests[0].status == "pending", "\(list.text)")
    try await Self.works(stage)
    await system.stop()
    try disk.remove()
  }

  private static func expectRefused(_ reply: Reply) {
    #expect([500, 503].contains(reply.status), "\(reply.text)")
    if reply.status == 503 { #expect(reply.fields["retry-after"] != nil) }
  }

  /// All refused operations succeed now, so none of them was partially executed.
  private static func works(_ stage: Stage) async throws {
    let stored = try await stage.answer { try await stage.upload(0) }
    #expect((stored.json.stored, stored.json.duplicates) == (2, 0), "\(stored.text)")
    let newcomer = stage.newcomer
    #expect(try await stage.answer { try await stage.register() }.outcome == .ok)
    _ = try await stage.system.mailbox.activationMail(to: newcomer.email)
    #expect(try stage.system.mailbox.mails(to: newcomer.email).count == 1)
    #expect(try await stage.answer { try await stage.accept() }.outcome == .ok)
    let data = try await stage.answer {
      try await stage.party.get("/req/tp/data?reqID=\(stage.request)")
    }
    #expect(data.json.samples.count == 4, "\(data.text)")
  }
}
