import Foundation
import Requirements
import Support
import Testing

@Suite("Runners and their organiser, through the gateway")
struct RunnerJourney {
  private static func participants(
    _ runID: Int, _ organiser: ThirdParty
  ) async throws -> [Int: JSONValue] {
    let reply = try await organiser.get("/t4r/org/participants?runID=\(runID)")
    try #require(reply.outcome == .ok, "\(reply.text)")
    let rows = reply.json.participants.items.map { ($0["number"].int ?? 0, $0) }
    return Dictionary(rows) { first, _ in first }
  }

  @Test(
    "the organiser receives name and email with the check-in, and loses them with the request",
    .tags(.RUN_9, .NFR_6), .timeLimit(.minutes(5)))
  func identities() async throws {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let (organiser, helper) = (try await system.thirdParty(), try await system.thirdParty())
    let (runner, absent) = (try await system.singleUser(), try await system.singleUser())
    let runID = try await organiser.listedRun()
    let named: JSONValue = [
      "runID": .number(Double(runID)), "email": .text(helper.company.email), "allowed": true,
    ]
    #expect(try await organiser.post("/t4r/org/coorganiser", named).outcome == .ok)
    #expect(try await runner.join(runID, ["runnerName": "In red"]).outcome == .ok)
    #expect(try await absent.join(runID, ["runnerName": "In blue"]).outcome == .ok)
    let before = try await Self.participants(runID, organiser)
    #expect(before.values.allSatisfy { $0.full_name.isNull && $0.email.isNull })
    #expect(before[1]?.runnerName == "In red")

    try await organiser.startSoon(runID, with: [runner], preparedSince: began)
    let known = try await eventually("the runner's name") {
      let row = try await Self.participants(runID, organiser)[1]
      return row?.full_name.isNull == false ? row : nil
    }
    #expect(known.full_name.text == runner.person.name)
    #expect((known.email.text, known.checkedIn) == (runner.person.email, true))
    let along = try await Self.participants(runID, helper)
    #expect(along.values.allSatisfy { $0.full_name.isNull && $0.email.isNull })
    #expect(along[1]?.checkedIn == true)
    let accesses = try await runner.get("/data/accesses").json.accesses.items
    let recorded = accesses.filter { $0.format == "name and email" }
    #expect(!recorded.isEmpty)
    #expect(recorded.allSatisfy { $0.company_name.text == organiser.company.name })

    let removed = try await eventually("the removal at the start", within: .seconds(120)) {
      let row = try await Self.participants(runID, organiser)[2]
      return row?.removed == true ? row : nil
    }
    #expect((removed.runnerName, removed.checkedIn) == ("In blue", false))
    #expect(removed.full_name.isNull && removed.email.isNull)
    #expect(try await Self.participants(runID, organiser)[1]?.removed == false)

    let list = try await runner.get("/req/single/list").json.requests.items
    let request = try #require(list.first { $0.kind == "check-in" })
    let ended = try await runner.post("/req/single/end", ["reqID": request.reqID])
    #expect(ended.outcome == .ok, "\(ended.text)")
    let after = try await organiser.get("/t4r/org/participants?runID=\(runID)")
    #expect(!after.text.contains(runner.person.email))
    #expect(!after.text.contains(runner.person.name))
  }

  @Test(
    "a runner changes name, health data and findability during the run",
    .tags(.RUN_6, .RUN_7), .timeLimit(.minutes(5)))
  func choices() async throws {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let organiser = try await system.thirdParty()
    let (runner, stranger) = (try await system.singleUser(), try await system.singleUser())
    let runID = try await organiser.listedRun()
    let run: JSONValue = ["runID": .number(Double(runID))]
    func change(_ choice: JSONValue, by user: SingleUser) async throws -> Reply {
      try await user.post("/t4r/my/settings", run.merging(choice))
    }
    func shown(_ more: JSONValue = [:]) async throws -> [JSONValue] {
      let reply = try await runner.client.post("/t4r/active/specUpdate", run.merging(more))
      try #require(reply.outcome == .ok, "\(reply.text)")
      return reply.json.runners.items
    }
    // The check-in request asks for the types that have data.
    try await runner.upload("heartRate", [(RelativeTimes.after(-60), 61)])
    #expect(try await runner.join(runID).outcome == .ok)
    let early = try await change(["runnerName": "Early"], by: runner)
    #expect(early.outcome == .ok, "\(early.text)")
    #expect(early.json.message == "Settings updated")
    #expect((early.json.runnerName, early.json.showHealth) == ("Early", false))
    try await organiser.startSoon(runID, with: [runner], preparedSince: began)
    _ = try await eventually("the runner on the board", within: .seconds(120)) {
      try await shown().first?.runnerName == "Early" ? true : nil
    }

    let changed = try await change(
      ["runnerName": "During", "showHealth": true, "findable": false], by: runner)
    #expect((changed.json.showHealth, changed.json.findable) == (true, false))
    try await runner.upload("heartRate", [(RelativeTimes.after(0), 151)])
    let row = try await eventually("the new name with the heart rate") {
      let row = try await shown().first
      return row?.runnerName == "During" && row?.heartRate == 151 ? row : nil
    }
    #expect(row["number"] == 1)
    let friend: JSONValue = ["runners": [["email": .text(runner.person.email)]]]
    #expect(try await shown(friend).isEmpty)
    #expect(try await change(["findable": true], by: runner).json.runnerName == "During")
    _ = try await eventually("that a friend finds the runner") {
      try await shown(friend).isEmpty ? nil : true
    }
    let nameless = try await change(["runnerName": ""], by: runner)
    #expect((nameless.outcome, nameless.json.runnerName) == (.ok, .null))
    _ = try await eventually("the number in place of the name") {
      try await shown().first?.runnerName == "1" ? true : nil
    }

    #expect(try await change([:], by: runner).outcome == .malformed)
    let long = JSONValue.text(String(repeating: "a", count: 201))
    #expect(try await change(["runnerName": long], by: runner).outcome == .malformed)
    let fitting = JSONValue.text(String(repeating: "a", count: 200))
    #expect(try await change(["runnerName": fitting], by: runner).outcome == .ok)
    let foreign = try await change(["findable": false], by: stranger)
    #expect(foreign.outcome == Outcome(404, "Not found"))
  }

  @Test(
    "a run without a path is marked in the organiser's list, which can be searched by name",
    .tags(.RUN_9))
  func unpublished() async throws {
    let organiser = try await TestSystem.shared().thirdParty()
    let draft = try await organiser.createRun(
      RunOfTest.terms().merging(["runName": "100% draft"]))
    let listed = try await organiser.listedRun(["runName": "Spring half"])
    let runs = try await organiser.get("/t4r/org/list").json.runs.items
    let marks = Dictionary(
      uniqueKeysWithValues: runs.map { ($0.runID.int, $0.published) })
    #expect(marks == [draft: false, listed: true])
    for (name, found) in [("0%25%20d", [draft]), ("SPRING", [listed]), ("_", [])] {
      let list = try await organiser.get("/t4r/org/list?name=\(name)").json.runs.items
      #expect(list.map(\.runID.int) == found, "\(name)")
    }
  }
}
