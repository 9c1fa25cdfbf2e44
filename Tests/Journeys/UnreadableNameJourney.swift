import Requirements
import Testing

@Suite("Unreadable names of runners, through the gateway")
struct UnreadableNameJourney {
  @Test("an unreadable name is missing from the lists, and nothing else", .tags(.RUN_9))
  func lists() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let (damaged, sound) = (try await system.singleUser(), try await system.singleUser())
    let runID = try await organiser.listedRun()
    for (runner, name) in [(damaged, "In red"), (sound, "In blue")] {
      #expect(try await runner.join(runID, ["runnerName": .text(name)]).outcome == .ok)
    }
    let unreadable = "trackme_track4run_unreadable_rows_total"
    let before = try await system.metric(unreadable, of: "track4run-1")
    try await system.superuser(
      """
      UPDATE track4run.enrolments SET sealed_name = '\\x00'
       WHERE run_id = \(runID) AND number = 1
      """)
    for _ in 0..<2 {
      let list = try await organiser.get("/t4r/org/participants?runID=\(runID)")
      #expect(list.outcome == .ok, "\(list.text)")
      #expect(list.json.participants.items.map(\.runnerName.text) == ["In blue", nil])
      #expect(list.json.participants.items.map(\.["number"].int) == [2, 1])
      let own = try await damaged.get("/t4r/my/list")
      #expect(own.outcome == .ok, "\(own.text)")
      #expect(own.json.runs.items.map(\.runID.int) == [runID])
      #expect(own.json.runs[0].runnerName.isNull)
    }
    // Each loop counts it once, however often it is requested.
    let counted = try await system.metric(unreadable, of: "track4run-1") - before
    #expect((1...2).contains(counted))
    let invitation: JSONValue = [
      "runID": .number(Double(runID)), "emails": [.text("guest-of-\(runID)@example.org")],
    ]
    #expect(try await damaged.post("/t4r/active/invite", invitation).outcome == .ok)
  }
}
