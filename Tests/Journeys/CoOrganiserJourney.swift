import Requirements
import Support
import Testing

@Suite("Runs with several organisers, through the gateway")
struct CoOrganiserJourney {
  private func set(
    _ email: String, of runID: Int, allowed: Bool, by organiser: ThirdParty
  ) async throws -> Reply {
    try await organiser.post(
      "/t4r/org/coorganiser",
      ["runID": .number(Double(runID)), "email": .text(email), "allowed": .bool(allowed)])
  }

  @Test(
    "a co-organiser finds, changes and cancels the run and sees its runners, until removed",
    .tags(.RUN_2, .RUN_9))
  func whatItMay() async throws {
    let system = try await TestSystem.shared()
    let (organiser, helper) = (try await system.thirdParty(), try await system.thirdParty())
    let runner = try await system.singleUser()
    let runID = try await organiser.listedRun()
    #expect(try await runner.join(runID, ["runnerName": "In red"]).outcome == .ok)
    let named: JSONValue = ["runID": .number(Double(runID))]
    func change(_ place: JSONValue) async throws -> Outcome {
      try await helper.post("/t4r/org/update", named.merging(["place": place])).outcome
    }
    #expect(try await change("Lodi") == Outcome(404, "Not found"))
    #expect(try await helper.get("/t4r/org/list").json.runs.count == 0)

    let made = try await set(helper.company.email, of: runID, allowed: true, by: organiser)
    #expect(made.outcome == .ok, "\(made.text)")
    #expect(made.json.message == "Action successful")
    let notice = try await eventually("the notice") {
      let list = try await helper.get("/notifications").json
      return list["items"].items.first { $0["data"].runID.text == "\(runID)" }
    }
    #expect(notice["data"].event == "co-organiser")
    let runs = try await helper.get("/t4r/org/list").json.runs
    #expect(runs.items.map(\.runID.int) == [runID])
    #expect(runs[0].coOrganised == true)
    #expect(runs[0].coOrganisers.items.map(\.text) == [helper.company.name])
    let own = try await organiser.get("/t4r/org/list").json.runs[0]
    #expect(own.coOrganised == false)
    #expect(own.coOrganisers.items.map(\.text) == [helper.company.name])
    #expect(try await change("Lodi") == .ok)
    let participants = try await helper.get("/t4r/org/participants?runID=\(runID)")
    #expect(participants.json.participants.items.map(\.runnerName) == ["In red"])
    // A co-organiser cannot name further ones.
    let third = try await system.thirdParty()
    for email in [third.company.email, "nobody@example.org"] {
      for allowed in [true, false] {
        let further = try await set(email, of: runID, allowed: allowed, by: helper)
        #expect(further.outcome == Outcome(404, "Not found"))
        #expect(further.json.detail == "It does not exist, or it belongs to another account.")
      }
    }

    #expect(
      try await set(helper.company.email, of: runID, allowed: false, by: organiser).outcome == .ok)
    #expect(try await change("Monza") == Outcome(404, "Not found"))
    #expect(try await organiser.get("/t4r/org/list").json.runs[0].coOrganisers.count == 0)
    #expect(
      try await set(helper.company.email, of: runID, allowed: true, by: organiser).outcome == .ok)
    #expect(try await helper.post("/t4r/org/cancel", named).outcome == .ok)
    let late = try await set(helper.company.email, of: runID, allowed: false, by: organiser)
    #expect(late.outcome == Outcome(409, "Wrong state"))
  }

  @Test("only companies can be co-organisers, and a company can remove itself", .tags(.RUN_2))
  func onlyCompanies() async throws {
    let system = try await TestSystem.shared()
    let (organiser, helper) = (try await system.thirdParty(), try await system.thirdParty())
    let person = try await system.singleUser()
    let runID = try await organiser.listedRun()
    for email in [person.person.email, "nobody@example.org"] {
      let reply = try await set(email, of: runID, allowed: true, by: organiser)
      #expect(reply.outcome == Outcome(404, "Not found"))
      #expect(reply.json.detail == "No company has this email.")
    }
    let own = try await set(organiser.company.email, of: runID, allowed: true, by: organiser)
    #expect(own.outcome == Outcome(409, "Wrong state"))
    let stranger = try await set(helper.company.email, of: runID, allowed: true, by: helper)
    #expect(stranger.outcome == Outcome(404, "Not found"))
    let upper = helper.company.email.uppercased()
    for _ in 0..<2 {
      #expect(try await set(upper, of: runID, allowed: true, by: organiser).outcome == .ok)
    }
    let off = try await set(helper.company.email, of: runID, allowed: false, by: helper)
    #expect(off.outcome == .ok, "\(off.text)")
    #expect(try await helper.get("/t4r/org/list").json.runs.count == 0)
  }
}
