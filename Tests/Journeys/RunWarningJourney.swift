import Requirements
import Testing

@Suite("Warnings on joining a run, through the gateway")
struct RunWarningJourney {
  @Test(
    "joining warns without refusing: about a missing position, and about recent values",
    .tags(.RUN_14))
  func warnings() async throws {
    let system = try await TestSystem.shared()
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.listedRun()
    let first = try await runner.join(runID)
    #expect(first.outcome == .ok, "\(first.text)")
    #expect(first.json.warnings.items.map(\.warning) == ["no position"])
    #expect(first.json.warnings[0].detail.text?.isEmpty == false)
    #expect(try await runner.leave(runID).outcome == .ok)

    try await runner.upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
    let second = try await runner.join(runID)
    #expect(second.json.warnings.count == 0, "\(second.text)")
    #expect(try await runner.leave(runID).outcome == .ok)

    try await runner.upload("bloodPressureSystolic", [(RelativeTimes.after(-50), 165)])
    let third = try await runner.join(runID)
    #expect(third.outcome == .ok)
    #expect(third.json.warnings.items.map(\.warning) == ["ask a doctor"])
    // The response contains no value of the data.
    #expect(!third.text.contains("165"))
  }
}
