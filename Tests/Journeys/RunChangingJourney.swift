import Requirements
import Support
import Testing

@Suite("Changes of runs, through the gateway")
struct RunChangingJourney {
  private func update(
    _ runID: Int, by organiser: ThirdParty, _ changes: JSONValue
  ) async throws -> Reply {
    let named: JSONValue = ["runID": .number(Double(runID))]
    return try await organiser.post("/t4r/org/update", named.merging(changes))
  }

  @Test(
    "an organiser changes a run: the public sees the new state, all concerned are notified",
    .tags(.RUN_2, .RUN_13))
  func change() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.listedRun(["description": "Flat", "place": "Milano"])
    #expect(try await runner.join(runID).outcome == .ok)
    let start = RelativeTimes.day(50)
    let changed = try await update(
      runID, by: organiser,
      [
        "runName": "Journey moved", "description": "", "place": "Lodi", "participants": 5,
        "startTime": .text(start), "endTime": .text(RelativeTimes.day(51)),
      ])
    #expect(changed.outcome == .ok, "\(changed.text)")
    #expect(changed.json.message == "Run updated successfully")
    #expect(changed.json.removed == 0)
    let own = try await organiser.get("/t4r/org/list").json.runs[0]
    #expect((own.runName, own.place, own.participants) == ("Journey moved", "Lodi", 5))
    #expect(own["description"].isNull)
    #expect(own.enrolUntil == own.startTime)
    let found = try await runner.get("/t4r/active/list?name=journey%20moved").json.run
    #expect(found.items.first { $0.runID.int == runID }?.startTime == own.startTime)
    #expect(try await runner.get("/t4r/my/list").json.runs[0].runName == "Journey moved")
    // The runner and the author of the change are notified.
    for email in [runner.person.email, organiser.company.email] {
      let mail = try await system.mailbox.mail(to: email, with: "È cambiata la corsa")
      #expect(mail.contains("- nome: Journey moved"))
    }
  }

  @Test(
    "a new path of a listed run is mailed to all runners and to the organiser",
    .tags(.RUN_2, .RUN_13))
  func anotherPath() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    #expect(try await runner.join(runID).outcome == .ok)
    let path = RunOfTest.path()
    #expect(try await organiser.draw(path, for: runID) == code)
    for email in [runner.person.email, organiser.company.email] {
      let mail = try await system.mailbox.mail(to: email, with: "È cambiata la corsa")
      #expect(mail.contains("- percorso: un altro, di "))
    }
    let notice = try await eventually("the notice") {
      try await runner.get("/notifications").json["items"].items
        .first { $0["data"].event == "changed" }
    }
    #expect(notice["data"].runID.text == "\(runID)")
    let shown = try await organiser.client.get("/t4r/run/\(code)").json
    #expect(shown.endPoint == path[1].coordinate)
  }

  @Test("an invalid change is refused, and changes nothing", .tags(.RUN_1, .RUN_2))
  func refusals() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.listedRun()
    for _ in 0..<3 {
      #expect(try await system.singleUser().join(runID).outcome == .ok)
    }
    let before = try await organiser.get("/t4r/org/list").text
    let wrong: [(JSONValue, String)] = [
      (["runName": "-"], "runName"), (["startTime": "2024-01-15T10:00:00Z"], "startTime"),
      (["endTime": .text(RelativeTimes.day(39))], "endTime"), (["participants": 1], "participants"),
      (["enrolUntil": .text(RelativeTimes.day(41))], "enrolUntil"),
    ]
    for (change, field) in wrong {
      let reply = try await update(runID, by: organiser, change.merging(["place": "Lodi"]))
      #expect(reply.outcome == .malformed, "\(change)")
      #expect(reply.field == field, "\(reply.text)")
    }
    let few = try await update(runID, by: organiser, ["participants": 2])
    #expect(few.outcome == Outcome(409, "Wrong state"))
    #expect(few.json.detail == "More runners have already joined.")
    #expect(try await organiser.get("/t4r/org/list").text == before)
    let other = try await system.thirdParty()
    let foreign = try await update(runID, by: other, ["participants": 20])
    #expect(foreign.outcome == Outcome(404, "Not found"))
    let named: JSONValue = ["runID": .number(Double(runID))]
    #expect(try await organiser.post("/t4r/org/cancel", named).outcome == .ok)
    let cancelled = try await update(runID, by: organiser, ["place": "Lodi"])
    #expect(cancelled.outcome == Outcome(409, "Wrong state"))
    #expect(cancelled.json.detail == "The run was cancelled.")
  }

  @Test(
    "a run can be moved neither onto another run's path nor into another run of its runner",
    .tags(.RUN_1, .RUN_2, .RUN_3))
  func moves() async throws {
    let system = try await TestSystem.shared()
    let (organiser, rival) = (try await system.thirdParty(), try await system.thirdParty())
    let (runner, other) = (try await system.singleUser(), try await system.singleUser())
    let path = RunOfTest.path()
    let runID = try await organiser.createRun(RunOfTest.terms())
    _ = try await organiser.draw(path, for: runID)
    let later: JSONValue = [
      "startTime": .text(RelativeTimes.day(60)), "endTime": .text(RelativeTimes.day(60.1)),
    ]
    let occupied = try await rival.createRun(RunOfTest.terms().merging(later))
    _ = try await rival.draw(path, for: occupied)
    let refused = try await update(runID, by: organiser, later)
    #expect(refused.outcome == Outcome(409, "Wrong state"), "\(refused.text)")

    let elsewhere: JSONValue = [
      "startTime": .text(RelativeTimes.day(70)), "endTime": .text(RelativeTimes.day(70.1)),
    ]
    let there = try await rival.listedRun(elsewhere)
    #expect(try await runner.join(runID).outcome == .ok)
    #expect(try await other.join(runID).outcome == .ok)
    #expect(try await runner.join(there).outcome == .ok)
    let moved = try await update(runID, by: organiser, elsewhere)
    #expect(moved.outcome == .ok, "\(moved.text)")
    #expect(moved.json.removed == 1)
    #expect(try await runner.get("/t4r/my/list").json.runs.items.map(\.runID.int) == [there])
    #expect(try await other.get("/t4r/my/list").json.runs.items.map(\.runID.int) == [runID])
    let mail = try await system.mailbox.mail(
      to: runner.person.email, with: "È stata spostata la corsa")
    #expect(mail.contains("Il tuo posto in questa è stato liberato"))
  }
}
