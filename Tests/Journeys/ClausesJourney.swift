import Requirements
import Testing

@Suite("Clauses of runs, through the gateway", .tags(.RUN_16))
struct ClausesJourney {
  @Test("runners accept the clauses in force, and accepted versions stay readable")
  func accepted() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (first, second) = (try await system.singleUser(), try await system.singleUser())
    let third = try await system.singleUser()
    let runID = try await organiser.listedRun(["clauses": " At your own risk.\nNo dogs. "])
    let run: JSONValue = ["runID": .number(Double(runID))]
    let anyone = organiser.client
    let path = "/t4r/active/clauses?runID=\(runID)"
    let spec = try await anyone.post("/t4r/active/spec", run)
    #expect(spec.json.clausesVersion == 1)
    let clauses = try await anyone.get(path)
    #expect((clauses.json.version, clauses.json["text"]) == (1, "At your own risk.\nNo dogs."))

    let refused = try await first.join(runID)
    #expect((refused.outcome, refused.field) == (.malformed, "clausesVersion"))
    #expect(refused.json.detail.text?.contains("read them, and accept them") == true)
    #expect(try await first.join(runID, ["clausesVersion": 2]).field == "clausesVersion")
    #expect(try await first.get("/t4r/my/list").json.runs.count == 0)
    let joined = try await first.join(runID, ["clausesVersion": 1])
    #expect(joined.outcome == .ok, "\(joined.text)")
    let own = try await first.get("/t4r/my/list").json.runs[0]
    #expect(own.clausesVersion == 1)
    #expect(own.clausesAcceptedAt == own.joinedAt)

    let changed = try await organiser.post(
      "/t4r/org/update", run.merging(["clauses": "Dogs are welcome."]))
    #expect(changed.outcome == .ok, "\(changed.text)")
    let mail = try await system.mailbox.mail(to: first.person.email, with: "- clausole:")
    #expect(mail.contains("- clausole: una nuova versione"))
    let stale = try await second.join(runID, ["clausesVersion": 1])
    #expect((stale.outcome, stale.field) == (.malformed, "clausesVersion"))
    #expect(try await second.join(runID, ["clausesVersion": 2]).outcome == .ok)
    #expect(try await anyone.get(path).json["text"] == "Dogs are welcome.")
    #expect(try await anyone.get("\(path)&version=1").json["text"] == clauses.json["text"])
    #expect(try await anyone.get("\(path)&version=3").outcome == Outcome(404, "Not found"))
    let rows = try await organiser.get("/t4r/org/participants?runID=\(runID)").json.participants
    #expect(rows.items.map(\.clausesVersion) == [2, 1])
    // An unchanged text is not a new version.
    _ = try await organiser.post("/t4r/org/update", run.merging(["clauses": "Dogs are welcome."]))
    #expect(try await anyone.get(path).json.version == 2)

    let none = try await organiser.post("/t4r/org/update", run.merging(["clauses": ""]))
    #expect(none.outcome == .ok)
    #expect(try await third.join(runID).outcome == .ok)
    #expect(try await anyone.get(path).outcome == Outcome(404, "Not found"))
    #expect(try await anyone.get("\(path)&version=2").json["text"] == "Dogs are welcome.")
    let again = try await organiser.post("/t4r/org/update", run.merging(["clauses": "Anew."]))
    #expect(again.outcome == .ok)
    #expect(try await anyone.get(path).json.version == 3)
  }

  @Test("clauses have up to 10,000 characters")
  func length() async throws {
    let organiser = try await TestSystem.shared().thirdParty()
    func create(_ count: Int) async throws -> Reply {
      let clauses = JSONValue.text(String(repeating: "a", count: count))
      return try await organiser.post(
        "/t4r/org/create", RunOfTest.terms().merging(["clauses": clauses]))
    }
    #expect(try await create(10_000).outcome == .ok)
    let long = try await create(10_001)
    #expect((long.outcome, long.field) == (.malformed, "clauses"))
    // The clauses of an unlisted run are not public.
    let draft = try await create(10).json.runID.int ?? 0
    let reply = try await organiser.client.get("/t4r/active/clauses?runID=\(draft)")
    #expect(reply.outcome == Outcome(404, "Not found"))
  }
}
