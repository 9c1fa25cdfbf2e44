import Foundation
import HTTP
import Requirements
import Support
import Testing

@Suite("Responses in progress when their request ends, through the gateway")
struct RevocationJourney {
  /// More than the window of a slow client and what the gateway holds for it.
  private static let longBytes = PublicClient.slowWindow + 48 * 1024

  enum End: CaseIterable {
    case byPerson, byDeletion
  }

  private func end(_ request: String, of user: SingleUser, _ end: End) async throws {
    let reply =
      switch end {
      case .byPerson: try await user.post("/req/single/end", ["reqID": .text(request)])
      case .byDeletion:
        try await user.post(
          "/auth/delete", ["password": .text(People.password), "confirm": "DELETE"])
      }
    try #require(reply.outcome == .ok, "\(reply.text)")
  }

  @Test(
    "what a third party has not read when the request ends never reaches it", .tags(.R21),
    arguments: ["json", "csv", "fhir", "events"], End.allCases)
  func unread(format: String, _ end: End) async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty(.http2)
    try await user.upload("heartRate", [("2024-01-14T10:00:00Z", 60)])
    let request = try await party.ask(user, for: ["heartRate"], subscribing: 3600)
    let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
    try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    for hour in 0..<6 {
      try await user.upload(
        "heartRate",
        (0..<500).map { number in
          let second = number % 60
          return ("2024-01-15T1\(hour):0\(number / 60):\(second < 10 ? "0" : "")\(second)Z", 61)
        })
    }
    let target =
      format == "events"
      ? "/req/tp/events?since=0" : "/req/tp/data?reqID=\(request)&format=\(format)"
    try await eventually("a long response") {
      try await party.get(target).body.count > Self.longBytes
    }
    let reading = try SlowReading(target, party.client, token: party.token)
    try await eventually("the first bytes") { reading.count > 0 }
    try await self.end(request, of: user, end)
    // The service has reset the response when the end is answered; its client learns of it at once,
    // also while it reads nothing.
    let ended = try await eventually("the reset of the response") { reading.end }
    #expect(throws: StreamFailure.self) { try ended.get() }
    #expect(reading.count <= PublicClient.slowWindow)
    #expect(try await party.get(target).status == (format == "events" ? 200 : 409))
  }

  enum Departure: CaseIterable {
    case leaving, endOfCheckIn, deletion
  }

  @Test(
    "what an organiser has not read of a run's file when the runner leaves never arrives",
    .tags(.R21, .RUN_8), arguments: Departure.allCases)
  func unreadRunFile(_ departure: Departure) async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty(.http2)
    let start = Date(timeIntervalSinceNow: 45)
    let runID = try await party.createRun(
      RunOfTest.terms().merging([
        "startTime": .text(start.ISO8601Format()), "endTime": .text(RelativeTimes.after(600)),
      ]))
    _ = try await party.draw(RunOfTest.path(), for: runID)
    try await user.upload("position", [(RelativeTimes.after(-60), "45.4781,9.2273")])
    #expect(try await user.join(runID).outcome == .ok)
    let request = try await user.checkInRequest()
    #expect(try await user.choose("accept", request).outcome == .ok)
    let format = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    for part in 0..<4 {
      try await user.upload(
        "position",
        (0..<400).map { number in
          let time = start.addingTimeInterval(1 + Double(part * 400 + number) / 100)
          return (time.formatted(format), "45.4781,9.2273")
        })
    }
    let target = "/t4r/org/download?runID=\(runID)&format=ndjson"
    try await eventually("a long file") {
      try await party.get(target).body.count > Self.longBytes
    }
    let reading = try SlowReading(target, party.client, token: party.token)
    try await eventually("the first bytes") { reading.count > 0 }
    switch departure {
    case .leaving: #expect(try await user.leave(runID).outcome == .ok)
    case .endOfCheckIn: try await end(try #require(request.reqID.text), of: user, .byPerson)
    case .deletion: try await end("", of: user, .byDeletion)
    }
    let ended = try await eventually("the reset of the file") { reading.end }
    #expect(throws: StreamFailure.self) { try ended.get() }
    #expect(reading.count <= PublicClient.slowWindow)
    #expect(try await party.get(target).text == "")
  }
}
