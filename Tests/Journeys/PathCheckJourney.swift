import Requirements
import Testing

@Suite("Checking a path before publishing, through the gateway", .tags(.RUN_17))
struct PathCheckJourney {
  @Test("every fault is reported with its legs, and nothing is published")
  func faults() async throws {
    let organiser = try await TestSystem.shared().thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let run: JSONValue = ["runID": .number(Double(runID))]
    func check(_ points: [String], _ more: JSONValue = [:]) async throws -> JSONValue {
      let reply = try await organiser.post(
        "/t4r/org/path/check", more.merging(["path": RunOfTest.points(points)]))
      try #require(reply.outcome == .ok, "\(reply.text)")
      return reply.json
    }
    func faults(_ answer: JSONValue) -> [String: [Int?]] {
      Dictionary(
        uniqueKeysWithValues: answer.faults.items.map {
          ($0.fault.text ?? "", $0.legs.items.map(\.int))
        })
    }
    let good = try await check(["45,9", "45,9.0128"], run)
    #expect((good.valid, good.faults.count) == (true, 0))
    #expect((1_000...1_020).contains(good.length.number ?? 0))
    #expect(faults(try await check([])) == ["too few points": []])
    #expect(faults(try await check(["45,9", "45,9"])) == ["too few points": []])
    // The third point repeats the second: leg 2 begins there.
    let long = try await check(["45,9", "45.2,9", "45.2,9", "45.25,9", "45.5,9"])
    #expect(faults(long) == ["leg too long": [0, 3]])
    #expect(long.valid == false)
    #expect(long.faults[0].detail.text?.contains("10 km") == true)
    let far = (0...60).map { "\(-45 + Double($0) / 12),9" }
    let tooLong = faults(try await check(far))
    #expect(Array(tooLong.keys) == ["too long"])
    let leg = try #require(tooLong["too long"]?.first ?? nil)
    #expect((50..<56).contains(leg) && tooLong["too long"]?.count == 1)
    let wrong = try await organiser.post(
      "/t4r/org/path/check", ["path": RunOfTest.points(["45,9", "45, 9"])])
    #expect((wrong.outcome, wrong.field) == (.malformed, "path[1].coordinate"))
    let runs = try await organiser.get("/t4r/org/list").json.runs.items
    #expect(runs.map(\.published) == [false])
  }

  @Test("the legs along another run of the same day are reported, not those of another day")
  func shared() async throws {
    let system = try await TestSystem.shared()
    let (rival, organiser) = (try await system.thirdParty(), try await system.thirdParty())
    let path = RunOfTest.path()
    let listed = try await rival.createRun(RunOfTest.terms())
    _ = try await rival.draw(path, for: listed)
    let detour = JSONValue.array(
      path.items
        + RunOfTest.points(["\(path[1].coordinate.text ?? "")".replacing("9.2156", with: "9.22")])
        .items)
    func check(_ more: JSONValue) async throws -> Reply {
      try await organiser.post("/t4r/org/path/check", more.merging(["path": detour]))
    }
    let day: JSONValue = ["startTime": RunOfTest.terms().startTime]
    let answer = try await check(day).json
    #expect(answer.faults.items.map(\.fault) == ["along another run"])
    #expect(answer.faults[0].legs.items.map(\.int) == [0])
    #expect(try await check(["startTime": .text(RelativeTimes.day(45))]).json.valid == true)
    #expect(try await check([:]).json.valid == true)
    let own = try await organiser.createRun(RunOfTest.terms())
    let run: JSONValue = ["runID": .number(Double(own))]
    #expect(try await check(run).json.valid == false)
    let foreign: JSONValue = ["runID": .number(Double(listed))]
    #expect(try await check(foreign).outcome == Outcome(404, "Not found"))
    // The run is not compared with itself.
    let again = try await rival.post("/t4r/org/path/check", foreign.merging(["path": path]))
    #expect(again.json.valid == true)
    let person = try await system.singleUser()
    let refused = try await person.post("/t4r/org/path/check", ["path": path])
    #expect(refused.outcome == Outcome(401, "Wrong token"))
  }
}
