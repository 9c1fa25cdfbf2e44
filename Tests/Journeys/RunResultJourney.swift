import Foundation
import Requirements
import Support
import Testing

@Suite("The results of a run, through the gateway")
struct RunResultJourney {
  // One run from its start to its results: each step depends on the previous one.
  @Test(
    "checked-in runners have final results, which they see and the organiser downloads",
    .tags(.RUN_2, .RUN_5, .RUN_6, .RUN_8, .NFR_6), .timeLimit(.minutes(5)))
  func results() async throws {
    let system = try await TestSystem.shared()
    let began = ContinuousClock.now
    let (organiser, helper) = (try await system.thirdParty(), try await system.thirdParty())
    let (fast, slow) = (try await system.singleUser(), try await system.singleUser())
    for user in [fast, slow] {
      try await user.upload("heartRate", [(RelativeTimes.after(-60), 61)])
    }
    let runID = try await organiser.createRun(RunOfTest.terms())
    // 119 metres eastwards, on its own road.
    let latitude = "46.\(runID % 900 + 100)"
    _ = try await organiser.draw(
      RunOfTest.points(["\(latitude),9.19", "\(latitude),9.1915"]), for: runID)
    let named: JSONValue = [
      "runID": .number(Double(runID)), "email": .text(helper.company.email), "allowed": true,
    ]
    #expect(try await organiser.post("/t4r/org/coorganiser", named).outcome == .ok)
    #expect(try await fast.join(runID, ["runnerName": "=Fast & <first>"]).outcome == .ok)
    #expect(try await slow.join(runID).outcome == .ok)
    let start = try await organiser.startSoon(
      runID, lasting: 30, with: [fast, slow], preparedSince: began)
    let fixes = (1...16).map { start.addingTimeInterval(Double($0)).ISO8601Format() }
    for (user, step) in [(fast, 0.00012), (slow, 0.00003)] {
      let positions = fixes.enumerated().map { index, time in
        (time, JSONValue.text("\(latitude),\(9.19 + min(step * Double(index), 0.0015))"))
      }
      try await user.upload("position", positions)
      try await user.upload("heartRate", [(fixes[3], 150)])
    }
    let final = try await eventually("the final results", within: .seconds(240)) {
      let statistics = try await fast.get("/t4r/my/stats?runID=\(runID)").json
      return statistics.final == true ? statistics : nil
    }
    #expect((final.state, final["number"]) == ("ended", 1))
    #expect(final.runners.items.map(\.place) == [1, 2])
    #expect(final.runners.items.map(\.status) == ["finished", "did not finish"])
    #expect(final.runners.items.map(\.own) == [true, false])
    #expect(final.runners.items.map(\.heartRate) == [150, .null])

    let csv = try await organiser.get("/t4r/org/download?runID=\(runID)&format=csv")
    #expect(csv.outcome == .ok, "\(csv.text)")
    let rows = csv.text.split(separator: "\r\n")
    #expect(rows.first == "number,runnerName,dataType,value,unit,timestamp")
    #expect(rows.count { $0.contains(",position,") } == 32)
    #expect(rows.count { $0.hasPrefix("1,'=Fast & <first>,heartRate,150") } == 1)
    let lines = try await organiser.get("/t4r/org/download?runID=\(runID)&format=ndjson")
    #expect(lines.text.split(separator: "\n").count == 34)
    // A co-organiser receives positions but no health data.
    let tracks = try await helper.get("/t4r/org/download?runID=\(runID)&format=gpx")
    #expect(tracks.text.contains("<name>=Fast &amp; &lt;first&gt;</name>"))
    #expect(tracks.text.components(separatedBy: "<trkpt").count == 33)
    #expect(!tracks.text.contains("gpxtpx:hr>"))
    let own = try await organiser.get("/t4r/org/download?runID=\(runID)&format=gpx")
    let points = own.text.components(separatedBy: "<trkpt")
    let first = points.firstIndex { $0.contains("<gpxtpx:hr>150</gpxtpx:hr>") }
    #expect(first == 4, "the heart rate of its own moment")
    let foreign = try await system.thirdParty().get("/t4r/org/download?runID=\(runID)")
    #expect(foreign.outcome == Outcome(404, "Not found"))

    let accesses = try await fast.get("/data/accesses?limit=500").json.accesses.items
    let formats = accesses.compactMap { $0.format.text }
    for format in ["csv", "ndjson", "gpx"] { #expect(formats.contains(format)) }
  }
}
