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
