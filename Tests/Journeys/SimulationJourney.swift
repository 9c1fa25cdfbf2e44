import Foundation
import Requirements
import Support
import Testing

@Suite("A simulated run, started by an operator", .serialized)
struct SimulationJourney {
  // One simulated run from check-in to results: it takes minutes.
  @Test(
    "a run is created, joined, checked in to, run and completed, with spectators, twice",
    .tags(.R50, .RUN_5, .RUN_11), .timeLimit(.minutes(10)))
  func untilTheResults() async throws {
    let system = try await TestSystem(hasMailServer: false)
    let anyone = try PublicClient(system)
    let first = Task { try await simulate(system) }
    let run = try await eventually("the run that is on", within: .seconds(240)) {
      let runs = try await anyone.get("/t4r/active/list?state=live").json.run
      return runs.items.first { $0.runName == "Simulated run" }
    }
    let runID = try #require(run.runID.int)
    let stream = try EventReader("/t4r/active/stream?runID=\(runID)", nil, of: system)
    defer { stream.stop() }
    let leading = try await eventually("runners on their way") {
      let placings = try await anyone.get("/t4r/active/placings?runID=\(runID)").json.placings
      let onTheWay = placings.items.filter { ($0.distance.number ?? 0) > 5 }
      return onTheWay.count == 3 ? placings : nil
    }
    #expect(leading.items.map(\.place) == [1, 2, 3])
    let page = try await anyone.get("/r/\(try #require(run.code.text))")
    #expect(page.status == 200)
    let outcome = try await first.value
    #expect(outcome.isSuccess, "\(outcome.output)")
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.contains("3 of 3 have checked in"), "\(outcome.output)")
    for place in 1...3 {
      #expect(
        lines.contains { $0.hasPrefix("\(place). ") && $0.hasSuffix("(finished)") },
        "\(outcome.output)")
    }
    _ = try await eventually("the end, for who watches") {
      stream.events.contains { $0.name == "ended" } ? true : nil
    }
    let final = try await anyone.get("/t4r/active/placings?runID=\(runID)").json
    #expect(final.state == "ended")
    #expect(final.placings.items.map(\.status) == ["finished", "finished", "finished"])

    try await deleteRunner(anyone)
    // The second simulation registers the deleted runner again. It uses the same people and another
    // course, because two runs of a day cannot share a path.
    let second = try await simulate(system)
    #expect(second.isSuccess, "\(second.output)")
    await system.stop()
  }

  private func deleteRunner(_ client: PublicClient) async throws {
    let password = "password-of-a-simulation"
    let login = try await client.post(
      "/auth/login",
      ["email": "simulated-runner-0@example.org", "password": .text(password), "replace": true])
    let token = try #require(login.json.authToken.text, "\(login.text)")
    let deleted = try await client.post(
      "/auth/delete", token: token, ["password": .text(password), "confirm": "DELETE"])
    #expect(deleted.outcome == .ok, "\(deleted.text)")
  }

  private func simulate(_ system: TestSystem) async throws -> Program.Outcome {
    try await system.lab(
      "simulate", "run", "--runners", "3", "--speed-up", "50", "--start", "30")
  }

  @Test("with a real mail server, or without a running system, no accounts are created")
  func refused() async throws {
    let system = try await TestSystem.shared()
    let outcome = try await system.lab("simulate", "run")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("mail server"), "\(outcome.output)")
    let wrong = try await system.lab("simulate", "run", "--runners", "1")
    #expect(wrong.status == 1)
    #expect(wrong.output.contains("usage: trackme-lab simulate run"), "\(wrong.output)")
  }
}
