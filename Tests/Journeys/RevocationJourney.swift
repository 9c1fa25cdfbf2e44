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
}
