import Requirements
import Support
import Testing

// The revocation of a hospital's approval, on the system of `EmergencyJourney`.
extension EmergencyJourney {
  @Test(
    "a hospital whose approval is withdrawn can no longer read earlier calls, in any way",
    .tags(.SOS_12), .timeLimit(.minutes(3)))
  func revoked() async throws {
    let system = try await Self.system.value
    let user = try await system.monitoredUser()
    let hospital = try await system.hospital(at: "45.46,9.19")
    try await user.raiseHeartRate()
    let called = try await eventually("the call") {
      try await hospital.get("/req/tp/events").json["events"].items.first
    }
    #expect(called["data"].person.full_name.text == user.person.name)
    let emergency: JSONValue = ["episodeID": called["data"].episodeID]
    let outcome = try await system.trackme("hospitals", "revoke", hospital.company.email)
    try #require(outcome.isSuccess, "\(outcome.output)")
    let page = try await hospital.get("/req/tp/events").json
    #expect(page["events"].count == 0)
    #expect(page["next"] == called["seq"])
    let refused = Outcome(403, "Not approved")
    #expect(try await hospital.get("/sos/calls").outcome == refused)
    #expect(try await hospital.get("/auth/me").json.hospital == false)
    #expect(try await hospital.post("/sos/acknowledge", emergency).outcome == refused)
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    // The end of the emergency is reported, also when reading from the beginning, without personal
    // data.
    let stream = try EventReader("/req/tp/stream", hospital.token, of: system)
    defer { stream.stop() }
    let notified = try await eventually("the end on the stream") { stream.events.first }
    #expect(
      (notified.name, notified.data["data"].episodeID) == ("sos.closed", called["data"].episodeID))
    #expect(!notified.data.description.contains(user.person.name))
    #expect(stream.events.count == 1)
    let events = try await hospital.get("/req/tp/events").json["events"].items
    #expect(events.map(\.type) == ["sos.closed"])
  }
}
