import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Sharing and keeping results, through the gateway")
struct SharedResultJourney {
  /// A run that begins soon, with the positions of its three runners: two reach the finish.
  private struct Stage {
    let system: TestSystem
    let organiser: ThirdParty
    let runners: [SingleUser]
    let runID: Int
    let code: String
  }

  private func stage() async throws -> Stage {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let organiser = try await system.thirdParty()
    var runners: [SingleUser] = []
    for _ in 0..<3 { runners.append(try await system.singleUser()) }
    let runID = try await organiser.createRun(RunOfTest.terms())
    let latitude = "46.\(runID % 900 + 100)"
    let code = try await organiser.draw(
      RunOfTest.points(["\(latitude),9.29", "\(latitude),9.2915"]), for: runID)
    for (index, user) in runners.enumerated() {
      try await user.upload("heartRate", [(RelativeTimes.after(-60), 61)])
      #expect(try await user.join(runID, ["runnerName": .text("Runner \(index)")]).outcome == .ok)
    }
    let start = try await organiser.startSoon(
      runID, lasting: 30, with: runners, preparedSince: began)
    let fixes = (1...16).map { start.addingTimeInterval(Double($0)).ISO8601Format() }
    for (user, step) in zip(runners, [0.00015, 0.00013, 0.00003]) {
      let positions = fixes.enumerated().map { index, time in
        (time, JSONValue.text("\(latitude),\(9.29 + min(step * Double(index), 0.0015))"))
      }
      try await user.upload("position", positions)
      try await user.upload("heartRate", [(fixes[3], 150)])
    }
    return Stage(
      system: system, organiser: organiser, runners: runners, runID: runID, code: code)
  }

  @Test(
    "a runner receives a link to the result and the track, and keeps the result after leaving",
    .tags(.RUN_3, .RUN_10), .timeLimit(.minutes(5)))
  func kept() async throws {
    let stage = try await stage()
    let (system, organiser, runners) = (stage.system, stage.organiser, stage.runners)
    let (runID, code) = (stage.runID, stage.code)
    // One runner leaves during the run after finishing, without keeping the name.
    _ = try await eventually("the finish of the second", within: .seconds(120)) {
      let live = try await organiser.client.post(
        "/t4r/active/specUpdate", ["runID": .number(Double(runID))]
      ).json.runners.items
      return live.first { $0["number"] == 2 }?.status == "finished" ? true : nil
    }
    let left = try await runners[1].leave(runID)
    #expect((left.outcome, left.json.resultKept) == (.ok, true))
    #expect(try await runners[1].leave(runID).outcome == Outcome(404, "Not found"))

    let final = try await eventually("the final results", within: .seconds(240)) {
      let statistics = try await runners[0].get("/t4r/my/stats?runID=\(runID)").json
      return statistics.final == true ? statistics : nil
    }
    #expect(final.runners.items.map(\.place) == [1, 2, 3])
    #expect(final.runners.items.map(\.runnerName) == ["Runner 0", "deleted runner", "Runner 2"])
    #expect(final.runners.items.map(\.heartRate) == [150, .null, .null])
    let base = "https://localhost:\(system.httpsPort)/r/\(code)"
    #expect(final.link.text == "\(base)?runner=1#n1")
    #expect(final.preview.text == "\(base)/preview.png")
    let anyone = organiser.client
    let page = try await anyone.get("/r/\(code)?runner=1").text
    #expect(page.contains("content=\"1. Runner 0 · 0:00:"))
    #expect(page.contains("<tr id=\"n1\"><td>1</td><td><bdi>Runner 0</bdi></td>"))
    #expect(page.contains("Deleted runner") && !page.contains("Runner 1"))

    let track = try await runners[0].get("/t4r/my/track?runID=\(runID)")
    #expect(track.fields[.contentType] == "application/gpx+xml")
    #expect(track.text.components(separatedBy: "<trkpt").count == 17)
    #expect(track.text.contains("<name>Runner 0</name>"))
    #expect(track.text.contains("<gpxtpx:hr>150</gpxtpx:hr>"))
    let foreign = try await organiser.client.get(
      "/t4r/my/track?runID=\(runID)", token: runners[1].token)
    #expect(foreign.outcome == Outcome(404, "Not found"))

    // Another runner leaves after the results are final, and keeps the name.
    let named: JSONValue = ["runID": .number(Double(runID)), "keepName": true]
    let kept = try await runners[2].post("/t4r/active/leave", named)
    #expect((kept.outcome, kept.json.resultKept) == (.ok, true))
    let later = try await anyone.get("/r/\(code)").text
    #expect(later.contains("<tr id=\"n3\"><td>3</td><td><bdi>Runner 2</bdi></td>"))
    // The shared data of a runner is removed with the runner.
    let download = try await organiser.get("/t4r/org/download?runID=\(runID)").text
    #expect(download.contains("\r\n1,") && !download.contains("\r\n2,"))
    #expect(!download.contains("\r\n3,"))
    let deletion: JSONValue = ["password": .text(People.password), "confirm": "DELETE"]
    #expect(try await runners[2].post("/auth/delete", deletion).outcome == .ok)
    _ = try await eventually("the result without the name") {
      try await anyone.get("/r/\(code)").text.contains("Runner 2") ? nil : true
    }
  }
}
