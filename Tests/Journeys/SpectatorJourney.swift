import Foundation
import Requirements
import Support
import Testing

@Suite("Polling spectators, through the gateway")
struct SpectatorJourney {
  /// Polls from an address of this machine.
  private static func poll(
    _ arguments: [String], from address: String, _ system: TestSystem
  ) async throws -> String {
    let outcome = try await Program(
      command: ["/usr/bin/curl", "-sS", "--interface", address] + arguments
    ).run()
    try #require(outcome.isSuccess, "\(outcome.output)")
    return outcome.output
  }

  @Test(
    "polling addresses count as spectators for a minute, and no address is stored",
    .tags(.RUN_15), .timeLimit(.minutes(5)))
  func polling() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runID = try await organiser.createRun(RunOfTest.terms())
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let base = "http://127.0.0.1:\(system.httpPort)"
    func pollOnce(_ address: String) async throws -> Int? {
      let body = "{\"runID\":\(runID)}"
      let text = try await Self.poll(
        [
          "-H", "Content-Type: application/json", "-d", body, "\(base)/t4r/active/specUpdate",
        ], from: address, system)
      return try JSONValue(Array(text.utf8)).watching.int
    }
    let stream = try EventReader("/t4r/active/stream?runID=\(runID)", nil, of: system)
    // Three poll and one has a stream; one of the three only opens the page.
    let watching = try await eventually("all four") { () async throws -> Int? in
      _ = try await Self.poll(
        ["-o", "/dev/null", "\(base)/r/\(code)?watch=1"], from: "127.0.7.3", system)
      _ = try await pollOnce("127.0.7.1")
      if try await pollOnce("127.0.7.2") == 4 { return 4 }
      // The processes exchange their numbers of spectators every three seconds, and each poll
      // starts a process.
      try await pause(.milliseconds(500))
      return nil
    }
    #expect(watching == 4)
    stream.stop()
    let stored = try await system.superuser(
      "SELECT string_agg(run_id || ' ' || streams, ';') FROM track4run.spectator_counts"
        + " WHERE run_id = \(runID) AND streams > 1")
    #expect(stored == "\(runID) 3")
    // A request other than polling does not count.
    let named: JSONValue = ["runID": .number(Double(runID))]
    let alone = try await eventually("that the addresses are forgotten", within: .seconds(150)) {
      let spec = try await organiser.client.post("/t4r/active/spec", named).json
      return spec.watching == 0 ? true : nil
    }
    #expect(alone)
  }

  @Test(
    "the page of a run offers joining and watching, and shows the runners", .tags(.RUN_4, .R50),
    .timeLimit(.minutes(5)))
  func page() async throws {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.createRun(
      RunOfTest.terms().merging(["clauses": "Run at <your> own risk."]))
    let code = try await organiser.draw(RunOfTest.path(), for: runID)
    let anyone = organiser.client
    let before = try await anyone.get("/r/\(code)").text
    #expect(before.contains("href=\"#join\"") && before.contains("id=\"join\""))
    #expect(before.contains("href=\"\(code)?watch=1#watch\""))
    #expect(before.contains("Run at &lt;your&gt; own risk."))
    #expect(!before.contains("http-equiv"))
    let choice: JSONValue = ["runnerName": "In <red>", "clausesVersion": 1]
    #expect(try await runner.join(runID, choice).outcome == .ok)
    try await organiser.startSoon(runID, with: [runner], preparedSince: began)
    let live = try await eventually("the runner on the page", within: .seconds(120)) {
      let page = try await anyone.get("/r/\(code)?watch=1").text
      return page.contains("<bdi>In &lt;red&gt;</bdi>") ? page : nil
    }
    #expect(live.contains("<meta http-equiv=\"refresh\" content=\"5\">"))
    #expect(live.contains("id=\"watch\""))
    // A run in progress cannot be joined.
    #expect(!live.contains("href=\"#join\""))
    #expect(try await anyone.get("/r/\(code)?watch=2").outcome == .malformed)
  }
}
