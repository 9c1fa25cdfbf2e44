import Foundation
import Requirements
import Support
import Testing

@Suite("Emergencies under an overload of uploads, through the gateway", .serialized)
struct OverloadJourney {
  private static let system = Task { try await TestSystem() }

  /// Parallel uploads: three times the number of a replica's connections.
  private static let uploadCount = 12

  @Test(
    "while no upload can be stored a critical reading still warns, and can be aborted",
    .tags(.SOS_2, .SOS_4), .timeLimit(.minutes(3)))
  func overloaded() async throws {
    let system = try await Self.system.value
    let user = try await system.monitoredUser()
    let stream = try EventReader("/events", user.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    // All statements that store samples wait, so that every connection is eventually taken.
    try await HeldTable.with("data4help.sample_accounts", of: system) { _ in
      try await warnedAndAborted(user, stream, system)
    }
  }

  /// Warns a person who aborts it while all connections for writes are taken.
  private func warnedAndAborted(
    _ user: SingleUser, _ stream: EventReader, _ system: TestSystem
  ) async throws {
    let replies = Self.uploads(of: user, system)
    defer { for reply in replies { reply.cancel() } }
    _ = try await eventually("uploads that wait for each other") {
      try await system.waitingForLocks() >= 4 ? true : nil
    }
    let critical = Task {
      try await Self.upload(
        "heartRate", 131, at: TestTimes.text(), of: user, system, key: nil)
    }
    defer { critical.cancel() }
    let warning = try await eventually("the warning") {
      stream.events.first { $0.name == "alarm" }
    }
    #expect(warning.data["data"].stage == "suspected")
    #expect(try await system.waitingForLocks() >= 4)
    let emergency: JSONValue = ["episodeID": warning.data["data"].episodeID]
    _ = try await eventually("the emergency in the history") {
      let newest = try await user.json("/sos/history").episodes[0]
      return newest.episodeID == emergency.episodeID ? true : nil
    }
    #expect(try await user.post("/sos/abort", emergency).outcome == .ok)
    _ = try await eventually("the end on the stream") {
      stream.events.last?.data["data"].stage == "aborted" ? true : nil
    }
    #expect(try await system.waitingForLocks() >= 4)
  }

  /// Uploads of old samples, each in its own transaction.
  private static func uploads(
    of user: SingleUser, _ system: TestSystem
  ) -> [Task<Int, any Error>] {
    (0..<uploadCount).map { index in
      Task {
        try await upload(
          "steps", 1, at: "2024-01-\(10 + index)T10:00:00Z", of: user, system,
          key: "overload-\(index)")
      }
    }
  }

  /// Uploads one value over its own connection and returns the response.
  private static func upload(
    _ type: String, _ value: JSONValue, at time: String, of user: SingleUser,
    _ system: TestSystem, key: String?
  ) async throws -> Int {
    let client = try PublicClient(system)
    defer { client.close() }
    let document: JSONValue = [
      "dataTypes": [.text(type)], "values": [value], "timestamp": [.text(time)],
    ]
    return try await client.post("/data/upload", token: user.token, document, key: key).status
  }
}

extension TestSystem {
  /// Statements of Data4Help that wait for a lock.
  fileprivate func waitingForLocks() async throws -> Int {
    let count = try await superuser(
      """
      SELECT count(*) FROM pg_stat_activity
       WHERE datname = 'trackme' AND wait_event_type = 'Lock' AND usename = 'data4help'
      """)
    return Int(count) ?? 0
  }
}
