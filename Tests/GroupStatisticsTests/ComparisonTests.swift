import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing
import Time

@Suite("Comparison with others")
struct ComparisonTests {
  private static func compare(
    _ stage: SingleRequestStage, _ query: String = "type=heartRate", by account: AccountID
  ) async throws -> Reply {
    try await stage.call(.compare, query: query, by: account, .singleUser)
  }

  private static func others(
    _ stage: SingleRequestStage, by account: AccountID = Known.mario
  ) async throws -> String {
    let reply = try await compare(stage, by: account)
    #expect(reply.status == 200, "\(reply.text)")
    let others = reply.object["others"] as? [String: Any]
    return "\(others?["people"] ?? "none") \(others?["mean"] ?? "") \(reply["reason"] ?? "")"
  }

  @Test(
    "1000 people of the age are too few, also when one more comes that day; 1001 are shown",
    .tags(.DAT_4))
  func threshold() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1000)
      // People of all other ages and of a neighbouring one do not count.
      try await stage.addPeople(2000..<4000, .heartRate, 200, born: "1990-01-01")
      #expect(try await Self.others(stage) == "none  too few people")
      try await stage.addPeople(1000..<1001)
      #expect(try await Self.others(stage) == "none  too few people")
    }
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1001)
      #expect(try await Self.others(stage) == "1000 70 ")
    }
  }

  @Test("repeated requests of all people have the same answer of the day", .tags(.DAT_4, .GRP_1))
  func kept() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        // One count runs, and at most two of a person wait.
        for index in 0..<4 {
          let account = index % 2 == 0 ? Known.mario : Known.laura
          group.addTask { try await Self.others(stage, by: account) }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers == ["1500 70 "])
      try await stage.addPeople(1500..<3000, .heartRate, 150)
      #expect(try await Self.others(stage) == "1500 70 ")
      let rows = try stage.installation.data.session().rows(
        "SELECT count(*) FROM data4help.released_statistics", [])
      #expect(rows.first?.first == "1")
    }
  }

  @Test("a group request for the age has the same statistics, and vice versa", .tags(.GRP_1))
  func shared() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      #expect(try await stage.groupStatus() == "approved ")
      try await stage.addPeople(1500..<1501, .heartRate, 250)
      #expect(try await Self.others(stage) == "1500 70 ")
      let rows = try stage.installation.data.session().rows(
        "SELECT count(*) FROM data4help.released_statistics", [])
      #expect(rows.first?.first == "1")
    }
  }

  @Test("the person's days and their mean are rated by the range of the age", .tags(.DAT_4))
  func own() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let empty = try await Self.compare(stage, by: Known.mario)
      #expect(empty.status == 200 && empty.object["own"] is NSNull)
      let before: [(Int64, String)] = [(1, "120"), (1, "140"), (2, "60"), (40, "40")]
      let samples = try before.map { days, value in
        NewSample(
          type: .heartRate,
          time: Instant(
            millisecondsSince1970: stage.clock.now.millisecondsSince1970
              - days * 86_400_000),
          value: try SampleValue(value, of: .heartRate))
      }
      _ = try await stage.here { try await stage.samples.append(samples, to: Known.mario) }
      let reply = try await Self.compare(stage, by: Known.mario)
      let own = try #require(reply.object["own"] as? [String: Any], "\(reply.text)")
      #expect(own["mean"] as? Double == 95)
      #expect(own["mark"] as? String == "above")
      let days = try #require(own["days"] as? [[String: Any]])
      #expect(days.compactMap { $0["date"] as? String } == ["2026-11-16", "2026-11-17"])
      #expect(days.compactMap { $0["value"] as? Double } == [60, 130])
      #expect(days.compactMap { $0["mark"] as? String } == ["within", "above"])
      #expect(reply["ageBand"] == "40-49")
      let range = try #require(reply.object["reference"] as? [String: Any])
      #expect(range["source"] is String)
    }
  }

  @Test("the reason for missing values of the person is reported", .tags(.DAT_4))
  func missing() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      func reason(_ type: String) async throws -> String {
        let reply = try await Self.compare(stage, "type=\(type)", by: Known.mario)
        #expect((reply["ownMissing"] == nil) == (reply.object["own"] is [String: Any]))
        return reply["ownMissing"] ?? "none"
      }
      #expect(try await reason("heartRate") == "no data")
      let day: Int64 = 24 * 60
      // A value of noon today: the day is not closed yet.
      try await stage.store(1, minutesAgo: 60)
      #expect(try await reason("heartRate") == "day not closed")
      #expect(try await reason("weight") == "no data")
      try await stage.store(1, of: .weight, minutesAgo: 31 * day)
      #expect(try await reason("weight") == "older")
      try await stage.store(1, of: .weight, minutesAgo: 30 * day)
      #expect(try await reason("weight") == "none")
      let off = "{\"types\":[\"heartRate\",\"steps\",\"weight\"],\"enabled\":[false,false,false]}"
      let switched = try await stage.call(
        .chooseImportedTypes, off, by: Known.mario, .singleUser)
      #expect(switched.status == 200, "\(switched.text)")
      #expect(try await reason("heartRate") == "type off")
      #expect(try await reason("steps") == "type off")
      // Values stored before are still compared.
      #expect(try await reason("weight") == "none")
    }
  }

  @Test("types without numbers, or no type, are 400", .tags(.DAT_4))
  func senseless() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for query in ["", "type=position", "type=activity", "type=mood"] {
        let reply = try await Self.compare(stage, query, by: Known.mario)
        #expect(reply.status == 400)
        #expect(reply["field"] == "type")
      }
    }
  }
}
