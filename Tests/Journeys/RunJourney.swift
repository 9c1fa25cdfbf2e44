import HTTP
import Requirements
import Support
import Testing

@Suite("Runs, organised and joined through the gateway")
struct RunJourney {
  // One run from its publication to its runners: each step depends on the previous one.
  @Test(
    "a company creates a run with its path, the public finds it, and people join until it is full",
    .tags(.R36, .R38, .R43, .R44, .R46, .RUN_9))
  func untilFull() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let terms = RunOfTest.terms(participants: 2).merging([
      "description": "Along the canal", "place": "Milano",
      "enrolUntil": .text(RelativeTimes.day(40)),
    ])
    let runID = try await organiser.createRun(terms)
    let list = "/t4r/active/list?name=\(RunOfTest.name)&limit=500"
    let anyone = organiser.client
    #expect(try await anyone.get(list).json.run.items.allSatisfy { $0.runID.int != runID })
    let early = try await system.singleUser()
    #expect(try await early.join(runID).outcome == RunOfTest.wrongRunID)

    let path = RunOfTest.path()
    let code = try await organiser.draw(path, for: runID)
    #expect(try await anyone.get(list).json.run.items.contains { $0.runID.int == runID })
    let found = try await anyone.get("/t4r/active/list?code=\(code)").json.run
    #expect(found.items.map(\.runID.int) == [runID])
    #expect(found[0].organiser.text == organiser.company.name)
    #expect(found[0].endPoint == path[1].coordinate)
    #expect((found[0].participants, found[0].enrolled, found[0].state) == (2, 0, "open"))

    let joined = try await early.join(runID, ["runnerName": "The early one", "showHealth": true])
    #expect(joined.outcome == .ok, "\(joined.text)")
    #expect(joined.json.message == "Run joined successfully")
    #expect(try await early.join(runID).outcome == RunOfTest.wrongRunID)
    let second = try await system.singleUser()
    #expect(try await second.join(runID).outcome == .ok)
    let third = try await system.singleUser()
    let late = try await third.join(runID)
    #expect(late.outcome == RunOfTest.wrongRunID)
    #expect(late.json.detail == "The run is full.")
    #expect(late.fields["www-authenticate"] != nil)

    let participants = try await organiser.get("/t4r/org/participants?runID=\(runID)")
    #expect(participants.json.participants.items.map(\.["number"]) == [2, 1])
    #expect(participants.json.participants.items.map(\.runnerName) == [.null, "The early one"])
    let own = try await early.get("/t4r/my/list").json.runs
    #expect(own.items.map(\.runID.int) == [runID])
    #expect(own[0].runnerName == "The early one")
    #expect((own[0].showHealth, own[0].findable) == (true, true))
    #expect(try await third.get("/t4r/my/list").json.runs.count == 0)
    let mine = try await organiser.get("/t4r/org/list?when=future").json.runs
    #expect(mine.items.map(\.runID.int) == [runID])
    #expect((mine[0]["description"], mine[0].place) == ("Along the canal", "Milano"))
    #expect(mine[0].enrolled == 2)
    for when in ["past", "present"] {
      #expect(try await organiser.get("/t4r/org/list?when=\(when)").json.runs.count == 0)
    }
  }

  @Test("only third parties create runs, and only single users join them", .tags(.R37, .R45))
  func kinds() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let user = try await system.singleUser()
    let wrong = Outcome(401, "Wrong credentials")
    #expect(try await user.post("/t4r/org/create", RunOfTest.terms()).outcome == wrong)
    let anyone = try await user.client.post("/t4r/org/create", RunOfTest.terms())
    #expect(anyone.outcome == wrong)
    let runID = try await organiser.listedRun()
    let other = try await system.thirdParty()
    for party in [organiser, other] {
      let reply = try await party.post("/t4r/active/join", ["runID": .number(Double(runID))])
      #expect(reply.outcome == wrong)
    }
    let text = try await user.post("/t4r/active/join", ["runID": .text("\(runID)")])
    #expect(text.outcome == .ok, "\(text.text)")
    // Another organiser's run is treated as if it did not exist.
    let path = RunOfTest.path()
    let foreign: JSONValue = ["runID": .number(Double(runID)), "path": path]
    #expect(try await other.post("/t4r/org/path", foreign).outcome == RunOfTest.wrongRunID)
    let named: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await other.post("/t4r/org/cancel", named).outcome == Outcome(404, "Not found"))
    let participants = try await other.get("/t4r/org/participants?runID=\(runID)")
    #expect(participants.outcome == Outcome(404, "Not found"))
  }

  @Test(
    "a program of the company creates a run, and only one however often it retries", .tags(.R36))
  func programs() async throws {
    let organiser = try await TestSystem.shared().thirdParty()
    let key = try await organiser.post("/auth/keys", ["name": "planner"]).json.key.text
    let terms = RunOfTest.terms()
    var runs: Set<Int?> = []
    for _ in 0..<2 {
      let reply = try await organiser.client.post(
        "/t4r/org/create", token: key, terms, key: "the spring run")
      #expect(reply.outcome == .ok, "\(reply.text)")
      runs.insert(reply.json.runID.int)
    }
    #expect(runs.count == 1)
    #expect(try await organiser.get("/t4r/org/list").json.runs.count == 1)
  }

  @Test("an invalid run is refused with the faulty field", .tags(.RUN_1))
  func impossible() async throws {
    let organiser = try await TestSystem.shared().thirdParty()
    let wrong: [(JSONValue, String)] = [
      (["startTime": "2024-01-15T10:00:00Z"], "startTime"),
      (["endTime": .text(RelativeTimes.day(39))], "endTime"),
      (["participants": 1], "participants"),
      (["enrolUntil": "2024-01-15T10:00:00Z"], "enrolUntil"),
      (["enrolUntil": .text(RelativeTimes.day(41))], "enrolUntil"),
    ]
    for (change, field) in wrong {
      let reply = try await organiser.post(
        "/t4r/org/create", RunOfTest.terms().merging(change))
      #expect(reply.outcome == .malformed, "\(change)")
      #expect(reply.field == field, "\(reply.text)")
    }
    #expect(try await organiser.get("/t4r/org/list").json.runs.count == 0)
  }

  @Test(
    "an invalid path, or one shared by half with another run of that day, is refused", .tags(.RUN_1)
  )
  func impossiblePaths() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    func draw(_ points: [String]) async throws -> Reply {
      try await organiser.post(
        "/t4r/org/path", ["runID": .number(Double(runID)), "path": RunOfTest.points(points)])
    }
    let invalid = Outcome(401, "Invalid path")
    let far = (0...60).map { "\(-45 + Double($0) / 12),9" }
    for points in [[], ["45,9"], ["45,9", "45,9"], ["45,9", "45.1,9"], far] {
      #expect(try await draw(points).outcome == invalid, "\(points.count) points")
    }
    for point in ["45", "91,0", "0,181", "x,y", "45, 9"] {
      let reply = try await draw(["45,9", point])
      #expect(reply.outcome == .malformed)
      #expect(reply.field == "path[1].coordinate", "\(reply.text)")
    }
    let path = RunOfTest.path()
    _ = try await organiser.draw(path, for: runID)
    let rival = try await system.thirdParty()
    let other = try await rival.createRun(RunOfTest.terms())
    let shared: JSONValue = ["runID": .number(Double(other)), "path": path]
    #expect(try await rival.post("/t4r/org/path", shared).outcome == invalid)
    let named: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", named).outcome == .ok)
    #expect(try await rival.post("/t4r/org/path", shared).outcome == .ok)
  }

  @Test(
    "a runner leaves and rejoins at any time, but joins no overlapping run unless cancelled",
    .tags(.RUN_3))
  func leaving() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let (first, second) = (try await organiser.listedRun(), try await organiser.listedRun())
    #expect(try await runner.join(first).outcome == .ok)
    let overlapping = try await runner.join(second)
    #expect(overlapping.outcome == RunOfTest.wrongRunID)
    #expect(overlapping.json.detail == "You are enrolled in another run at that time.")
    #expect(try await runner.leave(first).outcome == .ok)
    #expect(try await runner.leave(first).outcome == Outcome(404, "Not found"))
    #expect(try await runner.join(second).outcome == .ok)
    #expect(try await runner.get("/t4r/my/list").json.runs.items.map(\.runID.int) == [second])
    // A cancelled run does not prevent joining another one.
    let cancel: JSONValue = ["runID": .number(Double(second))]
    #expect(try await organiser.post("/t4r/org/cancel", cancel).outcome == .ok)
    #expect(
      try await organiser.post("/t4r/org/cancel", cancel).outcome == Outcome(409, "Wrong state"))
    #expect(try await runner.get("/t4r/my/list").json.runs[0].cancelled == true)
    #expect(try await runner.join(first).outcome == .ok)
    #expect(try await system.singleUser().join(second).outcome == RunOfTest.wrongRunID)
  }

  @Test(
    "joining ends with the enrolment deadline or the start; enrolled runners can still leave",
    .tags(.R46, .RUN_3, .RUN_9))
  func closed() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (runner, late) = (try await system.singleUser(), try await system.singleUser())
    // Leaves enough time for the check-in before both deadlines, even on a busy machine.
    let runID = try await organiser.listedRun([
      "startTime": .text(RelativeTimes.after(120)), "endTime": .text(RelativeTimes.after(3600)),
      "enrolUntil": .text(RelativeTimes.after(60)),
    ])
    #expect(try await runner.join(runID).outcome == .ok)
    try await runner.checkIn()
    let closed = try await late.refusal(ofJoining: runID, within: .seconds(120))
    #expect(closed.outcome == RunOfTest.wrongRunID)
    #expect(closed.json.detail == "Enrolment for this run is closed.")
    let begun = try await eventually("the start of the run", within: .seconds(180)) {
      let reply = try await late.join(runID)
      return reply.json.detail == closed.json.detail ? nil : reply
    }
    #expect(begun.json.detail == "The run has begun.")
    let present = try await organiser.get("/t4r/org/list?when=present").json.runs
    #expect(present.items.map(\.runID.int) == [runID])
    #expect(present[0].state == "live")
    #expect(try await runner.leave(runID).outcome == .ok)
  }

  @Test("a run that is over is in the past runs of organiser and runner", .tags(.RUN_9))
  func past() async throws {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.listedRun()
    let choice: JSONValue = ["findable": false, "findableByName": true]
    #expect(try await runner.join(runID, choice).outcome == .ok)
    try await organiser.startSoon(runID, lasting: 1, with: [runner], preparedSince: began)
    let past = try await eventually("the end of the run", within: .seconds(120)) {
      let runs = try await organiser.get("/t4r/org/list?when=past").json.runs
      return runs.count == 0 ? nil : runs
    }
    #expect(past.items.map(\.runID.int) == [runID])
    #expect((past[0].state, past[0].enrolled) == ("ended", 1))
    let own = try await runner.get("/t4r/my/list").json.runs
    #expect(own.items.map(\.state) == ["ended"])
    #expect((own[0].findable, own[0].showHealth) == (false, false))
    #expect(own[0].findableByName == true)
    let pages = try await organiser.get("/t4r/org/participants?runID=\(runID)&limit=1").json
    #expect(pages.participants.count == 1)
    #expect(pages.next.isNull)
  }
}
