import Foundation
import Requirements
import Support
import Testing

@Suite("Live runs while Data4Help is down", .serialized)
struct LiveOutageJourney {
  /// One kilometre eastwards at the latitude of the tests' roads, in degrees.
  private static let degreesAKilometre = 1 / 78.8
  /// The duration of the outage of Data4Help in seconds.
  private static let outage = 60

  /// Positions of the device, one per second at two metres a second.
  private func fixes(_ seconds: Range<Int>, since start: Date, from first: [Double])
    -> [(String, JSONValue)]
  {
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    return seconds.map { second in
      let east = first[1] + Double(second) * 0.002 * Self.degreesAKilometre
      return (
        start.addingTimeInterval(Double(second)).formatted(format),
        .text("\(first[0]),\(east)")
      )
    }
  }

  @Test(
    "after a minute without Data4Help a run continues without lost or duplicate positions",
    .tags(.R52, .RUN_5, .NFR_4), .timeLimit(.minutes(6)))
  func minute() async throws {
    let system = try await TestSystem(["TRACKME_DATA4HELP_REPLICAS": "2"])
    let organiser = try await system.thirdParty()
    let runner = try await system.singleUser()
    let runID = try await organiser.createRun(
      RunOfTest.terms().merging([
        "startTime": .text(RelativeTimes.after(60)), "endTime": .text(RelativeTimes.after(3_600)),
      ]))
    let path = RunOfTest.path()
    _ = try await organiser.draw(path, for: runID)
    let place = try #require(path[0].coordinate.text)
    let first = place.split(separator: ",").compactMap { Double($0) }
    try await runner.upload("position", [(RelativeTimes.after(-60), path[0].coordinate)])
    #expect(try await runner.join(runID).outcome == .ok)
    try await runner.checkIn()
    let named: JSONValue = ["runID": .number(Double(runID))]
    func distance() async throws -> Double? {
      let reply = try await organiser.client.post("/t4r/active/specUpdate", named)
      try #require(reply.outcome == .ok, "\(reply.text)")
      return reply.json.runners[0].distance.number
    }
    let stream = try EventReader("/t4r/active/stream?runID=\(runID)", nil, of: system)
    defer { stream.stop() }
    _ = try await eventually("the start", within: .seconds(120)) { () async throws -> Bool? in
      let reply = try await organiser.client.post("/t4r/active/specUpdate", named)
      return reply.json.runners.count == 1 ? true : nil
    }
    let start = Date()
    try await runner.upload("position", fixes(0..<1, since: start, from: first))
    _ = try await eventually("the first position") { try await distance() }

    // The last accepted samples may not have been forwarded when both replicas stop.
    try await runner.upload("position", fixes(1..<2, since: start, from: first))
    let replicas = try ["data4help-1", "data4help-2"].map {
      pid_t(try #require(try system.member($0).process.int))
    }
    for replica in replicas { kill(replica, SIGSTOP) }
    defer { for replica in replicas { kill(replica, SIGCONT) } }
    for _ in 0..<Self.outage / 10 {
      // Spectators receive responses throughout; this only lets the outage last.
      try await pause(.seconds(10))
      let seen = try #require(try await distance(), "the position is missing")
      #expect(seen < 10)
    }
    #expect(stream.events.allSatisfy { $0.connection == 1 })
    for replica in replicas { kill(replica, SIGCONT) }

    let late = fixes(2..<Self.outage, since: start, from: first)
    let body: JSONValue = [
      "dataTypes": .array(late.map { _ in "position" }), "values": .array(late.map(\.1)),
      "timestamp": .array(late.map { .text($0.0) }),
    ]
    let upload = try await runner.postUntilServed("/data/upload", body, key: "late")
    try #require(upload.outcome == .ok, "\(upload.text)")
    let reached = Double(Self.outage - 1) * 2
    _ = try await eventually("where the runner is") {
      abs((try await distance() ?? 0) - reached) < 3 ? true : nil
    }
    // Each position is present once in the organiser's download.
    let lines = try await eventually("every position") {
      let reply = try await organiser.get("/t4r/org/download?runID=\(runID)&format=csv")
      let rows = reply.text.split(separator: "\r\n").filter { $0.contains(",position,") }
      return rows.count >= Self.outage ? rows : nil
    }
    #expect(lines.count == Self.outage)
    #expect(Set(lines).count == Self.outage)
    #expect(stream.events.allSatisfy { $0.connection == 1 })
    await system.stop()
  }
}
