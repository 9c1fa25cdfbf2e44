import Foundation
import Requirements
import Support
import Testing

@Suite("Spectators of runs, through the gateway")
struct LiveRunJourney {
  /// The public view of a run.
  private func update(_ runID: Int, _ client: PublicClient) async throws -> JSONValue {
    let reply = try await client.post(
      "/t4r/active/specUpdate", ["runID": .number(Double(runID))])
    #expect(reply.outcome == .ok, "\(reply.text)")
    return reply.json
  }

  @Test(
    "spectators see the path without a login, are counted, and receive the end",
    .tags(.R50, .RUN_11, .RUN_15))
  func untilTheEnd() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let anyone = organiser.client
    // Leaves enough time for all steps before the start, even on a busy machine.
    let runID = try await organiser.listedRun([
      "startTime": .text(RelativeTimes.after(60)), "endTime": .text(RelativeTimes.after(90)),
    ])
    let spec = try await anyone.post("/t4r/active/spec", ["runID": .text("\(runID)")])
    #expect(spec.outcome == .ok, "\(spec.text)")
    #expect((spec.json.runID.int, spec.json.state) == (runID, "open"))
    #expect(spec.json.path.items.count == 2)
    #expect(spec.json.organiser.text == organiser.company.name)
    let before = try await update(runID, anyone)
    #expect((before.state, before.runners.count) == ("open", 0))
    let streams = try (0..<3).map { _ in
      try EventReader("/t4r/active/stream?runID=\(runID)", nil, of: system)
    }
    defer { for stream in streams { stream.stop() } }
    // This request is a poll itself and counts as the fourth.
    _ = try await eventually("that four are watching") {
      try await update(runID, anyone).watching == 4 ? true : nil
    }
    for stream in streams {
      // The reader reconnects after the end and receives the same events once more.
      let events = try await eventually("the end", within: .seconds(120)) {
        let events = stream.events
        return events.firstIndex { $0.name == "ended" }.map { Array(events[...$0]) }
      }
      // No stream was interrupted before.
      #expect(events.allSatisfy { $0.connection == 1 })
      #expect(events.first?.name == "positions")
      #expect(events.last?.data.runID.int == runID)
    }
    #expect(try await update(runID, anyone).state == "ended")
    let placings = try await anyone.get("/t4r/active/placings?runID=\(runID)")
    #expect((placings.json.state, placings.json.placings.count) == ("ended", 0))
  }

  @Test("an unlisted run, or another organiser's view, cannot be watched", .tags(.R51, .RUN_8))
  func unlisted() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let other = try await system.thirdParty()
    let unpublished = try await organiser.createRun(RunOfTest.terms())
    let anyone = organiser.client
    for path in ["/t4r/active/spec", "/t4r/active/specUpdate"] {
      let reply = try await anyone.post(path, ["runID": .number(Double(unpublished))])
      #expect(reply.outcome == RunOfTest.wrongRunID)
    }
    for path in ["placings", "stream"] {
      let reply = try await anyone.get("/t4r/active/\(path)?runID=\(unpublished)")
      #expect(reply.outcome == Outcome(404, "Not found"))
    }
    let listed = try await organiser.listedRun()
    let own = try await organiser.get("/t4r/org/live?runID=\(listed)")
    #expect((own.outcome, own.json.runners.count) == (.ok, 0))
    let foreign = try await other.get("/t4r/org/live?runID=\(listed)")
    #expect(foreign.outcome == Outcome(404, "Not found"))
    let user = try await system.singleUser()
    let pause: JSONValue = ["runID": .number(Double(listed)), "paused": true]
    #expect(
      try await user.post("/t4r/my/pause", pause).outcome == Outcome(404, "Not found"))
    #expect(try await user.join(listed).outcome == .ok)
    let paused = try await user.post("/t4r/my/pause", pause)
    #expect((paused.outcome, paused.json.paused) == (.ok, true))
  }
}
