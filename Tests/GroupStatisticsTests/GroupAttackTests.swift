import Data4HelpFixture
import Domain
import Foundation
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

/// The attacks of `docs/threat-model.md`, "Attacks on groups", that no other test covers.
@Suite("Attacks on groups")
struct GroupAttackTests {
  @Test("locks of chosen identifiers and of releases have different classes")
  func locks() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1_001)
      let holder = try stage.installation.data.session()
      try holder.run("BEGIN; LOCK TABLE data4help.released_statistics")
      let rest = ",\"reqID\":\"6d1f0e6c-0e6b-4b0e-9f3e-1d2c3b4a5968\""
      async let reply = stage.askGroup("\"age>=18\"", "\"heartRate\"", rest)
      try await stage.untilLockIsAwaited()
      let classes = try stage.cell(
        """
        SELECT string_agg(classid::text, ' ' ORDER BY classid)
          FROM pg_locks
         WHERE locktype = 'advisory' AND objsubid = 2
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """)
      #expect(classes == "1 2")
      try holder.run("COMMIT")
      #expect(try await reply["status"] == "approved")
    }
  }

  @Test(
    "requests for the same people return the same bytes, however often and however phrased",
    .tags(.GRP_1))
  func averaging() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      let first = try await stage.groupData()
      for search in [
        "\"age>=18\"", "\"age>17\"", "\"sex=F\"", "\"age<=46\",\"age>=46\"", "\"heartRate>20\"",
      ] {
        stage.clock.advance(seconds: 60)
        #expect(try await stage.groupData(search) == first, "\(search)")
      }
      // Late data changes the values, not the people.
      try await stage.setDays(0..<10, of: 0..<1500, .heartRate, 140)
      #expect(try await stage.groupData() == first)
      #expect(try await stage.groupData(by: Known.studio) == first)
    }
  }

  @Test("an answer contains statistics only: no extreme, no row of a person", .tags(.R30))
  func fields() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      try await stage.addPeople(1500..<3000, .heartRate, 90, sex: "M")
      // One person at the end of the range, who must remain invisible.
      try await stage.setDays(0..<30, of: 0..<1, .heartRate, 249)
      let answer = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", ",\"groupBy\":\"sex\"")
      let statistics: Set = [
        "parameter", "unit", "people", "mean", "stddev", "p5", "p25", "median", "p75", "p95",
        "histogram",
      ]
      #expect(
        Set(answer.keys)
          == ["reqID", "people", "from", "to", "releasedAt", "dataTypes", "groups"])
      let type = try #require((answer["dataTypes"] as? [[String: Any]])?.first)
      #expect(Set(type.keys) == statistics.union(["days"]))
      let parts = try #require(answer["groups"] as? [[String: Any]])
      #expect(parts.count == 2)
      for part in parts { #expect(Set(part.keys) == statistics.union(["group"])) }
      for one in parts + [type] {
        let bins = try #require(one["histogram"] as? [[String: Any]])
        #expect(bins.allSatisfy { Set($0.keys) == ["from", "to", "share"] })
        #expect(bins.first?["from"] as? Double == 40 && bins.last?["to"] as? Double == 120)
        #expect((one["p95"] as? Double ?? 250) < 100)
      }
      let days = try #require(type["days"] as? [[String: Any]])
      #expect(days.allSatisfy { Set($0.keys) == ["date", "people", "mean"] })
      #expect(days.allSatisfy { ($0["people"] as? Int ?? 1) % 10 == 0 })
    }
  }

  @Test("a search without matches reads the same data as one with 1000 people", .tags(.GRP_2))
  func work() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1000)
      let searches = ["\"age>=18\"", "\"age>=90\"", "\"sex=M\"", "\"heartRate>240\""]
      for search in searches {
        #expect(try await stage.groupStatus(search) == "refused too few people")
      }
      // The existence of rows stays readable, and the columns do not.
      try stage.run(
        """
        REVOKE SELECT ON data4help.day_columns FROM data4help;
        GRANT SELECT (type, day, vals) ON data4help.day_columns TO data4help
        """)
      #expect(try await stage.askGroup("\"age>=18\"", "\"steps\"")["reason"] == "no data")
      for search in searches {
        #expect(try await stage.askGroup(search).status == 500, "\(search)")
      }
    }
  }

  @Test("a second requested type does not change the group of the first", .tags(.GRP_1))
  func secondType() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<2000)
      try await stage.addPeople(2000..<2050, .heartRate, 200, born: "1950-01-01")
      try await stage.addPeople(0..<1500, .steps, 5000)
      let all = try await stage.groupObject()
      let without = try await stage.groupObject("\"age<=60\"", "\"heartRate\",\"steps\"")
      let types = try #require(without["dataTypes"] as? [NSDictionary])
      #expect(types.count == 2)
      #expect(types.first == (all["dataTypes"] as? [NSDictionary])?.first)
    }
  }

  @Test("two replicas that release concurrently return one answer", .tags(.GRP_1))
  func racing() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<2000)
      try await stage.addPeople(2000..<2050, .heartRate, 200, born: "1950-01-01")
      try await SingleRequestStage.replica(of: stage.installation) { other in
        // The lock keeps both answers from being stored: both requests reach the point right before
        // it.
        let keeper = try stage.installation.data.session()
        try keeper.run("BEGIN; LOCK TABLE data4help.released_statistics IN SHARE MODE")
        async let all = stage.groupData()
        async let without = other.groupData("\"age<=60\"", by: Known.studio)
        try await stage.waitUntilBlocked(2)
        try keeper.run("COMMIT")
        let answers = try await [all, without]
        #expect(answers[0] == answers[1])
      }
    }
  }

  @Test(
    "two replicas that release different periods concurrently release one number", .tags(.GRP_1))
  func racingPeriods() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<2000)
      try await stage.addPeople(2000..<2050, .heartRate, 200, born: "1950-01-01")
      let rest = ",\"from\":\"2026-11-03T00:00:00Z\",\"to\":\"2026-11-10T00:00:00Z\""
      try await SingleRequestStage.replica(of: stage.installation) { other in
        let keeper = try stage.installation.data.session()
        try keeper.run("BEGIN; LOCK TABLE data4help.released_statistics IN SHARE MODE")
        async let all = stage.groupObject()["people"] as? Int
        async let without =
          other.groupObject("\"age<=60\"", "\"heartRate\"", rest)["people"] as? Int
        try await stage.waitUntilBlocked(2)
        try keeper.run("COMMIT")
        let numbers = try await [all, without]
        #expect(numbers[0] != nil && numbers[0] == numbers[1])
      }
    }
  }
}

extension SingleRequestStage {
  /// Waits until `count` sessions of the database wait for a lock.
  fileprivate func waitUntilBlocked(_ count: Int) async throws {
    try await eventually("\(count) sessions that wait for a lock", every: .milliseconds(5)) {
      try cell(
        """
        SELECT count(DISTINCT pid) FROM pg_locks
         WHERE NOT granted
           AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        """) == count.description
    }
  }
}
