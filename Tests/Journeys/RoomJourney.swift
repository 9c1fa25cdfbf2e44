import Foundation
import Requirements
import Testing

/// The basis of the disk size for a million people in `docs/operations.md`.
@Suite("Room of an account")
struct RoomJourney {
  /// The bytes of both databases' tables with indexes, without mail in transit and without the dead
  /// rows of frequently updated tables.
  private static func size(_ system: TestSystem) async throws -> Int {
    var sum = 0
    for database in ["trackme", "trackme_keys"] {
      _ = try await system.superuser("VACUUM", in: database)
      let answer = try await system.superuser(
        """
        SELECT sum(pg_total_relation_size(c.oid))
          FROM pg_class AS c
          JOIN pg_namespace AS n ON n.oid = relnamespace
         WHERE relkind IN ('r', 'm')
           AND relname <> 'mail_queue'
           AND nspname NOT LIKE 'pg\\_%'
        """, in: database)
      sum += try #require(Int(answer))
    }
    if system.citus != nil {
      let shards = try await system.superuser(
        "SELECT citus_total_relation_size('data4help.chunks')")
      sum += try #require(Int(shards))
    }
    return sum
  }

  private static func register(_ count: Int, in system: TestSystem) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask { for _ in 0..<count / 4 { _ = try await system.singleUser() } }
      }
      try await group.waitForAll()
    }
  }

  @Test("an account without samples takes at most 4,000 bytes of disk", .tags(.NFR_1))
  func account() async throws {
    let system = try await TestSystem()
    // The first accounts allocate the first pages of every table and index.
    try await Self.register(20, in: system)
    let before = try await Self.size(system)
    try await Self.register(120, in: system)
    let bytes = try await Self.size(system) - before
    #expect((1...4_000).contains(bytes / 120), "\(bytes / 120)")
    await system.stop()
  }

  @Test("a byte of sealed samples takes at most 2.5 bytes of disk", .tags(.NFR_1))
  func samples() async throws {
    let system = try await TestSystem()
    let user = try await system.singleUser()
    try await user.upload("heartRate", [("2024-01-01T00:00:00Z", 60)])
    let before = try await Self.size(system)
    for day in 1...60 {
      let samples = (0..<10_000).map { (number: Int) -> (String, JSONValue) in
        let second = Double(1_704_067_200 + day * 86_400 + number * 8)
        return (
          Date(timeIntervalSince1970: second).formatted(.iso8601),
          .number(Double(60 + number * 7 % 41))
        )
      }
      try await user.upload("heartRate", samples)
    }
    let used = try #require(try await user.get("/data/quota").json.bytesUsed.number)
    #expect(used > 500_000)
    let bytes = Double(try await Self.size(system) - before)
    #expect(bytes / used <= 2.5, "\(bytes) for \(used)")
    await system.stop()
  }
}
