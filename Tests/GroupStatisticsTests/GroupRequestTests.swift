import Accounts
import Data4HelpFixture
import Domain
import Foundation
import HealthRecords
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Testing

@Suite("Group requests")
struct GroupRequestTests {
  @Test("a group of 1000 people is refused, one of 1001 is served", .tags(.R25, .R28))
  func threshold() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1000)
      #expect(try await stage.groupStatus() == "refused too few people")
      try await stage.addPeople(1000..<1001)
      #expect(try await stage.groupStatus() == "approved ")
      let answer = try await stage.groupObject()
      #expect(answer["people"] as? Int == 1000)
      let types = try #require(answer["dataTypes"] as? [[String: Any]])
      #expect(types.count == 1)
      #expect(types[0]["parameter"] as? String == "heartRate")
      #expect(abs((types[0]["mean"] as? Double ?? 0) - 70) <= 0.5)
      #expect((types[0]["days"] as? [[String: Any]])?.count == 17)
      #expect(types[0]["min"] == nil && types[0]["max"] == nil)
    }
  }

  @Test(
    "0 and 1000 people have the same refusal, and missing data another one",
    .tags(.GRP_2))
  func refusals() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      #expect(try await stage.groupStatus() == "refused no data")
      try await stage.addPeople(0..<1000)
      for search in [
        "\"age>=18\"", "\"age>=90\"", "\"sex=M\"", "\"sex=M\",\"sex=F\"", "\"nationality=IT\"",
      ] {
        #expect(try await stage.groupStatus(search) == "refused too few people")
      }
      // No person has steps, so every search has the same answer.
      for search in ["\"age>=18\"", "\"age>=90\""] {
        #expect(try await stage.groupStatus(search, "\"steps\"") == "refused no data")
      }
      let refused = try #require(try await stage.askGroup()["reqID"])
      #expect(try await stage.data(refused).status == 409)
      let rows = try await stage.companyList().list("requests")
      #expect(rows.allSatisfy { $0["kind"] as? String == "group" })
      let row = try #require(rows.first { $0["reqID"] as? String == refused })
      #expect(row["reason"] as? String == "too few people")
      #expect(row["searchParams"] as? [String] == ["age>=18"])
    }
  }

  @Test("every part and day of an answer is over the threshold", .tags(.R28, .R29))
  func slices() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1200, days: 10)
      try await stage.addPeople(1200..<2100, sex: "M", days: 5)
      let whole = try await stage.groupObject()
      let days = try #require(
        (whole["dataTypes"] as? [[String: Any]])?.first?["days"] as? [[String: Any]])
      #expect(
        days.compactMap { $0["people"] as? Int } == [2100, 2100, 2100, 2100, 2100]
          + [1200, 1200, 1200, 1200, 1200])
      // 900 men are too few, and subtracting the women would disclose them.
      let bySex = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", ",\"groupBy\":\"sex\"")
      #expect(bySex["groups"] == nil)
      try await stage.addPeople(2100..<2300, sex: "M")
      let both = try await stage.groupObject("\"age>=17\"", "\"heartRate\"", ",\"groupBy\":\"sex\"")
      let groups = try #require(both["groups"] as? [[String: Any]])
      #expect(groups.compactMap { $0["group"] as? String } == ["F", "M"])
      #expect(groups.compactMap { $0["people"] as? Int } == [1200, 1100])
      let bands = try await stage.groupObject(
        "\"age>=17\"", "\"heartRate\"", ",\"groupBy\":\"ageBand\"")
      let band = try #require((bands["groups"] as? [[String: Any]])?.first)
      #expect(band["group"] as? String == "40-49")
    }
  }

  @Test("many samples of 1000 people do not make a group", .tags(.R28))
  func distinct() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1000)
      try await stage.addPeople(0..<1000, .weight)
      try await stage.addPeople(0..<1000, .steps)
      let types = "\"heartRate\",\"weight\",\"steps\""
      #expect(try await stage.groupStatus("\"age>=18\"", types) == "refused too few people")
      // A type that too few people have is left out.
      try await stage.addPeople(1000..<1500)
      let answer = try await stage.groupObject("\"age>=18\"", types)
      #expect((answer["dataTypes"] as? [[String: Any]])?.count == 1)
    }
  }

  @Test("people without a valid fiscal code are not registered, and do not count", .tags(.GRP_3))
  func fiscalCodes() async throws {
    try await AuthenticationStage.with { stage in
      // A wrong check character, another person's birth and sex, an empty code, and no code.
      for code in ["RSSMRA80A01H501X", "BNCLRA92D55F205E", "", nil] as [String?] {
        let reply = try await stage.registerPerson(Sent.mario.with("fc", code))
        #expect((reply.status, reply["field"]) == (400, "fc"))
      }
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "0")
      #expect(try await stage.registerPerson().status == 200)
      #expect(try stage.data.cell("SELECT count(*) FROM data4help.accounts") == "1")
    }
  }

  @Test("only activated, active accounts of a minimum age count", .tags(.GRP_3))
  func seasoned() async throws {
    try await SingleRequestStage.with(seasoningDays: 30) { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1000)
      try await stage.addPeople(1000..<1200, state: 1)
      try await stage.addPeople(1200..<1400, state: 3)
      try await stage.addPeople(1400..<1600, activated: "2026-10-20T12:00:00Z")
      #expect(try await stage.groupStatus() == "refused too few people")
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.groupStatus() == "approved ")
    }
  }

  @Test("a request without one person returns the earlier answer, byte for byte", .tags(.GRP_1))
  func differencing() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<2000)
      try await stage.addPeople(2000..<2001, .heartRate, 200, born: "1950-01-01")
      let all = try await stage.groupData()
      stage.clock.advance(seconds: 600)
      // All people but one, requested by another company.
      let without = try await stage.groupData("\"age<=60\"", by: Known.studio)
      #expect(without == all)
      // 100 fewer are near, 101 are not.
      try await stage.addPeople(2001..<2101, .heartRate, 150, born: "1950-01-01")
      #expect(try await stage.groupData() == all)
      try await stage.addPeople(2101..<2102, .heartRate, 150, born: "1950-01-01")
      let more = try await stage.groupData()
      #expect(more != all)
      #expect(try await stage.groupData("\"age<=60\"") == all)
      // A second type does not change the set of people of the first.
      try await stage.addPeople(2102..<4000, .steps, 5000, born: "1950-01-01")
      try await stage.addPeople(0..<1, .steps, 5000)
      let two = try await stage.groupObject("\"age<=80\"", "\"heartRate\",\"steps\"")
      let first = try #require((two["dataTypes"] as? [[String: Any]])?.first)
      let alone = try #require(
        (try await stage.groupObject()["dataTypes"] as? [[String: Any]])?.first)
      #expect(first["mean"] as? Double == alone["mean"] as? Double)
    }
  }

  @Test("two concurrent requests for nearly the same people have one answer", .tags(.GRP_1))
  func racing() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<2000)
      try await stage.addPeople(2000..<2050, .heartRate, 200, born: "1950-01-01")
      let answers = try await withThrowingTaskGroup(of: String.self) { group in
        // Two groups of an account may wait (decision 0019).
        for company in [Known.clinic, Known.studio] {
          for search in ["\"age>=18\"", "\"age<=60\""] {
            group.addTask { try await stage.groupData(search, by: company) }
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(answers.count == 1)
    }
  }

  @Test("people are found by the mean of one type for values of another", .tags(.R26, .R27))
  func means() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500, .heartRate, 60)
      try await stage.addPeople(1500..<4000, .heartRate, 120)
      try await stage.addPeople(0..<4000, .steps, 5000)
      let slow = try await stage.groupObject("\"heartRate<100\"", "\"steps\"")
      #expect(slow["people"] as? Int == 1500)
      let fast = try await stage.groupObject("\"heartRate>=120\"", "\"steps\"")
      #expect(fast["people"] as? Int == 2500)
      #expect(try await stage.groupStatus("\"heartRate>200\"") == "refused too few people")
    }
  }

  @Test("an area is searched by the cells of last positions", .tags(.R26))
  func area() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      let area = "\"area=45.4642,9.1900,20000\""
      #expect(try await stage.groupStatus(area) == "refused too few people")
      let person = AccountID(rawValue: 1_000_000)
      _ = try await stage.parts.accountKeys.make(for: person)
      let position = NewSample(
        type: .position, time: stage.clock.now,
        value: try SampleValue("45.4642,9.1900", of: .position))
      _ = try await stage.samples.append([position], to: person)
      // The others were in the same cell.
      try stage.run(
        """
        INSERT INTO data4help.last_cells
        SELECT 1000000 + n, cell, seen_ts FROM data4help.last_cells, generate_series(1, 1499) AS n;
        INSERT INTO data4help.sample_accounts (account_id, stored_types)
        SELECT 1000000 + n, 2 FROM generate_series(1, 1499) AS n;
        """)
      #expect(try await stage.groupStatus(area) == "approved ")
      #expect(
        try await stage.groupStatus("\"area=41.9,12.5,20000\"") == "refused too few people")
      // People who have disabled positions are in no cell.
      try stage.run("UPDATE data4help.sample_accounts SET disabled_types = 2")
      #expect(try await stage.groupStatus(area) == "refused too few people")
    }
  }

  @Test("invalid requests are 400 and name the field", .tags(.R26, .R27, .R31))
  func senseless() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let cases: [(String, String, String, String)] = [
        ("", "\"heartRate\"", "", "searchParams"),
        ("\"age>=18\",\"shoe=44\"", "\"heartRate\"", "", "searchParams[1]"),
        ("\"age>=18\"", "\"position\"", "", "dataTypes[0]"),
        ("\"age>=18\"", "\"heartRate\",\"heartRate\"", "", "dataTypes"),
        ("\"age>=18\"", "\"heartRate\"", ",\"groupBy\":\"name\"", "groupBy"),
        ("\"age>=18\"", "\"heartRate\"", ",\"from\":\"2026-11-18T00:00:00Z\"", "from"),
        ("\"age>=18\"", "\"heartRate\"", ",\"from\":\"2020-01-01T00:00:00Z\"", "from"),
        ("\"age>=18\"", "\"heartRate\"", ",\"to\":\"2027-01-01T00:00:00Z\"", "subscribing"),
      ]
      for (search, types, rest, field) in cases {
        let reply = try await stage.askGroup(search, types, rest)
        #expect(reply.status == 400)
        #expect(reply["field"] == field, "\(reply.text)")
      }
    }
  }

  @Test("a reqID chosen by the client sends one request", .tags(.R25))
  func repeated() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1001)
      let rest = ",\"reqID\":\"00000000-0000-4000-8000-00000000000a\""
      let first = try await stage.askGroup("\"age>=18\"", "\"heartRate\"", rest)
      let second = try await stage.askGroup("\"age>=18\"", "\"heartRate\"", rest)
      #expect((first.status, first.text) == (200, second.text))
      #expect(try await stage.askGroup("\"age>=19\"", "\"heartRate\"", rest).status == 422)
      let other = try await stage.askGroup(
        "\"age>=18\"", "\"heartRate\"", rest, by: Known.studio)
      #expect(other.status == 400)
      #expect(try await stage.companyList().list("requests").count == 1)
      // A single request cannot take it either.
      let single =
        "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\"heartRate\"],"
        + "\"subscribing\":false\(rest)}"
      #expect(try await stage.send(single).status == 422)
      let rival = try await stage.send(single, by: Known.studio)
      #expect((rival.status, rival["field"]) == (400, "reqID"))
      #expect(try await stage.companyList().list("requests").count == 1)
    }
  }

  @Test("a repeated request is answered without counting", .tags(.R25))
  func countedOnce() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1001)
      let key = [("idempotency-key", "a")]
      let body = "{\"searchParams\":[\"age>=18\"],\"dataTypes\":[\"heartRate\"],"
      let once = body + "\"subscribing\":false}"
      let first = try await stage.call(
        .sendGroup, once, by: Known.clinic, .thirdParty, fields: key)
      // A subscription until a time that will be past by then.
      let named =
        body + "\"subscribing\":true,\"to\":\"2026-11-30T00:00:00Z\","
        + "\"reqID\":\"00000000-0000-4000-8000-00000000000b\"}"
      let second = try await stage.call(.sendGroup, named, by: Known.clinic, .thirdParty)
      #expect((first.status, second.status) == (200, 200))
      try stage.run("REVOKE SELECT ON data4help.day_columns FROM data4help")
      #expect(try await stage.askGroup().status == 500)
      let kept = try await stage.call(
        .sendGroup, once, by: Known.clinic, .thirdParty, fields: key)
      #expect((kept.status, kept.text) == (200, first.text))
      stage.clock.advance(seconds: 13 * 86_400)
      let again = try await stage.call(.sendGroup, named, by: Known.clinic, .thirdParty)
      #expect((again.status, again.text) == (200, second.text))
    }
  }

  @Test("a reqID belongs to one request of any kind, even if sent concurrently", .tags(.R10, .R25))
  func oneIdentifier() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      try await stage.addPeople(0..<1001)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        for round in 0..<8 {
          let rest = ",\"reqID\":\"00000000-0000-4000-8000-00000000001\(round)\""
          let single =
            "{\"email\":\"\(Known.marioEmail)\",\"dataTypes\":[\"heartRate\"],"
            + "\"subscribing\":false\(rest)}"
          let rival = round % 2 == 0 ? Known.clinic : Known.studio
          let statuses = try await withThrowingTaskGroup(of: Int.self) { calls in
            // Two groups of an account may wait (decision 0019).
            for _ in 0..<2 {
              calls.addTask { try await stage.send(single).status }
              calls.addTask {
                try await other.askGroup("\"age>=18\"", "\"heartRate\"", rest, by: rival).status
              }
            }
            return try await calls.reduce(into: []) { $0.append($1) }
          }
          // Equal requests have the same answer; the others are refused because the identifier is
          // taken.
          #expect(statuses.filter { $0 == 200 }.count == 2, "\(statuses)")
          #expect(statuses.filter { $0 == (rival == Known.clinic ? 422 : 400) }.count == 2)
        }
        let rows = try stage.cell(
          """
          SELECT (SELECT count(*) FROM data4help.single_requests)
               + (SELECT count(*) FROM data4help.group_requests)
          """)
        #expect(rows == "8")
      }
    }
  }

  @Test("an invalid stored duration is an internal error, not a missing one")
  func durationOutOfBounds() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1001)
      let reply = try await stage.askGroup(subscribing: "\"subscribing\":true,\"duration\":60")
      #expect(reply.status == 200)
      #expect(try await stage.companyList().list("requests").count == 1)
      try stage.run("UPDATE data4help.group_requests SET duration_seconds = 315576001")
      #expect(try await stage.companyList().status == 500)
    }
  }

  @Test("the CSV has the same numbers, and no data about a person", .tags(.R24, .R30))
  func csv() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.addPeople(0..<1500)
      let requestID = try #require(try await stage.askGroup()["reqID"])
      let lines = try await stage.data(requestID, format: "csv").text.split(separator: "\r\n")
      #expect(lines[0] == "parameter,unit,group,statistic,from,to,people,value")
      #expect(lines.contains { $0.hasPrefix("heartRate,BPM,,mean,,,1500,") })
      #expect(lines.filter { $0.contains(",day,") }.count == 17)
      #expect(try await stage.data(requestID, by: Known.studio).status == 404)
    }
  }
}
