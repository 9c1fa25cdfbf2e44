import Requirements
import Support
import Testing

@Suite("Notices to a subscriber whose data has become unavailable, through the gateway")
struct UnavailableJourney {
  /// A single user with a heart rate to which a third party subscribes.
  private struct Stage {
    let user: SingleUser
    let party: ThirdParty
    let request: String

    init(seconds: Int = 3600) async throws {
      let system = try await TestSystem.shared()
      user = try await system.singleUser()
      try await user.upload("heartRate", [("2024-01-15T10:00:00Z", 61)])
      party = try await system.thirdParty()
      request = try await party.ask(user, for: ["heartRate"], subscribing: seconds)
      let choice: JSONValue = ["reqID": .text(request), "choice": "accept"]
      try #require(try await user.post("/req/single/choice", choice).outcome == .ok)
    }

    /// Waits until the sequence and the notices report the request with this reason.
    func notified(_ type: String, _ reason: String) async throws {
      _ = try await eventually("\(type), \(reason)") {
        try await party.get("/req/tp/events?since=0").json.events.items.first {
          $0.type.text == type && $0["data"].reason.text == reason
            && $0["data"].reqID.text == request
        }
      }
      let notices = try await party.get("/notifications").json
      let notice = notices["items"].items.first { $0["data"].reason.text == reason }
      #expect(notice?.kind == "ended")
      #expect(notice?["data"].reqID.text == request)
      #expect(notices.unread.int ?? 0 > 0)
    }
  }

  @Test("a type was switched off", .tags(.REQ_9))
  func typeOff() async throws {
    let stage = try await Stage()
    let off: JSONValue = ["types": ["heartRate"], "enabled": [false]]
    #expect(try await stage.user.post("/settings/single/data", off).outcome == .ok)
    try await stage.notified("data.unavailable", "type switched off")
    #expect(try await stage.party.row(stage.request).status == "accepted")
  }

  @Test("the account is inactive", .tags(.REQ_9))
  func inactive() async throws {
    let stage = try await Stage()
    let status = try await stage.user.post("/settings/single/status", ["active": false])
    #expect(status.outcome == .ok)
    try await stage.notified("data.unavailable", "account inactive")
  }

  @Test(
    "samples uploaded while the account is inactive reach no subscriber, not even later",
    .tags(.REQ_9, .ACC_9))
  func uploadedWhileInactive() async throws {
    let stage = try await Stage()
    let (user, party) = (stage.user, stage.party)
    let system = try await TestSystem.shared()
    let stream = try EventReader("/req/tp/stream", party.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    try await user.upload("heartRate", [("2024-01-16T10:00:00Z", 62)])
    #expect(try await user.post("/settings/single/status", ["active": false]).outcome == .ok)
    let hidden = try await user.upload(
      "heartRate", [("2024-01-17T10:00:00Z", 63), ("2024-01-17T11:00:00Z", 64)])
    #expect(hidden.json.stored == 2)
    #expect(try await user.post("/settings/single/status", ["active": true]).outcome == .ok)
    // The last sample marks the end: entries before it would have arrived before it.
    try await user.upload("heartRate", [("2024-01-18T10:00:00Z", 65)])
    let events = try await eventually("the last sample among the events") {
      let items = try await party.get("/req/tp/events?since=0").json.events.items
      return Self.values(in: items).contains(65) ? items : nil
    }
    #expect(Self.values(in: events) == [61, 62, 65])
    #expect(
      events.compactMap(\.type.text) == [
        "data.created", "request.answered", "data.created", "data.unavailable", "data.created",
      ])
    try await eventually("the last sample on the stream") {
      Self.values(in: stream.events.map(\.data)).contains(65)
    }
    #expect(Self.values(in: stream.events.map(\.data)) == [61, 62, 65])
    let data = try await party.get("/req/tp/data?reqID=\(stage.request)").json.samples
    #expect(data.items.map(\.value) == [61, 62, 65])
  }

  /// The values of the samples of events, in their order.
  private static func values(in events: [JSONValue]) -> [JSONValue] {
    events.flatMap { $0["data"].samples.items.map(\.value) }
  }

  @Test("the account is deleted", .tags(.REQ_9))
  func deleted() async throws {
    let stage = try await Stage()
    let deletion: JSONValue = ["password": .text(People.password), "confirm": "DELETE"]
    #expect(try await stage.user.post("/auth/delete", deletion).outcome == .ok)
    try await stage.notified("request.ended", "account deleted")
  }

  @Test("the period is over", .tags(.REQ_9))
  func periodOver() async throws {
    let stage = try await Stage(seconds: 1)
    try await stage.notified("request.ended", "period over")
    #expect(try await stage.party.row(stage.request).status == "ended")
  }
}
