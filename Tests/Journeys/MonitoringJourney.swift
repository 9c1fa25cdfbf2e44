import Requirements
import Support
import Testing

@Suite("Monitoring by AutomatedSOS, through the gateway")
struct MonitoringJourney {
  @Test(
    "only a single user can enable it, with the permission for calls",
    .tags(.R33, .R34))
  func enabling() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.singleUser()
    let party = try await system.thirdParty()
    for refused: JSONValue in [["callPermission": false], [:], ["callPermission": "true"]] {
      let reply = try await user.post("/sos/enable", refused)
      #expect(reply.outcome == .malformed, "\(reply.text)")
      #expect(reply.field == "callPermission")
    }
    #expect(try await user.get("/sos/settings").json.enabled == false)
    let permitted: JSONValue = ["callPermission": true]
    for (path, document) in [("/sos/enable", permitted), ("/sos/disable", nil)] {
      let reply = try await party.post(path, document)
      #expect(reply.outcome == Outcome(401, "Wrong token"))
    }
    let enabled = try await user.post("/sos/enable", permitted.with("language", "en"))
    #expect(enabled.json.message == "AutomatedSOS enabled")
    let settings = try await user.get("/sos/settings").json
    #expect((settings.enabled, settings["language"]) == (true, "en"))
    #expect(settings.permittedAt.text != nil)
    #expect((settings.confirmSeconds, settings.abortSeconds) == (3, 5))
    // Enabling it again keeps the first permission.
    #expect(try await user.post("/sos/enable", permitted).outcome == .ok)
    #expect(try await user.get("/sos/settings").json.permittedAt == settings.permittedAt)
    #expect(try await user.post("/sos/disable", nil).json.message == "AutomatedSOS disabled")
    let disabled = try await user.get("/sos/settings").json
    #expect((disabled.enabled, disabled.permittedAt) == (false, .null))
  }

  @Test(
    "refusing the permission while it is enabled disables it, and aborts active emergencies",
    .tags(.R34))
  func refusing() async throws {
    let user = try await TestSystem.shared().monitoredUser()
    _ = try await eventually("the warning") {
      // A replica that follows late only evaluates a later reading.
      try await user.upload("heartRate", [(TestTimes.text(), 131)])
      let stage = try await user.json("/sos/history").episodes[0].stage
      return stage == "suspected" || stage == "confirmed" ? true : nil
    }
    let refusal: JSONValue = ["callPermission": false]
    let reply = try await user.post("/sos/enable", refusal)
    #expect(reply.outcome == .ok, "\(reply.text)")
    #expect(reply.json.message == "AutomatedSOS disabled")
    let settings = try await user.get("/sos/settings").json
    #expect((settings.enabled, settings.permittedAt) == (false, .null))
    #expect(try await user.json("/sos/history").episodes[0].stage == "aborted")
    // AutomatedSOS is already off, so a refusal changes nothing.
    let again = try await user.post("/sos/enable", refusal)
    #expect(again.outcome == .malformed, "\(again.text)")
    #expect(again.field == "callPermission")
  }

  @Test(
    "enabling reports missing readings, and that it is not a medical device",
    .tags(.SOS_11))
  func coverage() async throws {
    let user = try await TestSystem.shared().singleUser()
    let permitted: JSONValue = ["callPermission": true]
    let none = try await user.post("/sos/enable", permitted).json
    #expect(none.missing.count == 5)
    let words = try #require(none.notice.text)
    #expect(words.contains("not a medical device") && words.contains("112"))
    #expect(words.contains("no emergency is detected"))
    _ = try await user.pair("Watch", types: ["heartRate", "fall", "shaking", "position"])
    let some = try await user.post("/sos/enable", permitted).json
    #expect(some.missing == ["bloodPressureSystolic", "bloodPressureDiastolic"])
    #expect(some.notice.text?.contains("bloodPressureSystolic") == true)
    _ = try await user.pair("Cuff", types: ["bloodPressureSystolic", "bloodPressureDiastolic"])
    let all = try await user.post("/sos/enable", permitted).json
    #expect(all.missing == [])
    #expect(all.notice.text?.contains("No paired device") == false)
  }

  @Test("personal thresholds are set within the safe bounds, and reset", .tags(.SOS_1))
  func thresholds() async throws {
    let user = try await TestSystem.shared().singleUser()
    let own: JSONValue = ["heartRateHigh": 110, "heartRateLow": 55, "systolicLow": 100]
    #expect(try await user.post("/sos/thresholds", own).json.message == "Settings updated")
    #expect(try await values(of: user) == [55, 110, 100, 170, 100])
    for (name, value): (String, JSONValue) in [
      ("heartRateLow", 29.9), ("heartRateLow", 55.1), ("heartRateHigh", 109),
      ("heartRateHigh", 181), ("systolicLow", 69), ("systolicLow", 101), ("systolicHigh", 149),
      ("systolicHigh", 201), ("diastolicHigh", 89), ("diastolicHigh", 121),
    ] {
      let other: JSONValue = ["heartRateHigh": 120]
      let reply = try await user.post("/sos/thresholds", other.with(name, value))
      #expect(reply.outcome == .malformed, "\(reply.text)")
      #expect(reply.field == name)
    }
    let none = try await user.post("/sos/thresholds", JSONValue.object([:]))
    #expect(none.outcome == .malformed)
    #expect(none.json.detail.text?.contains("heartRateLow, heartRateHigh, systolicLow") == true)
    // Refused values have changed nothing, and omitted ones are unchanged.
    #expect(try await values(of: user) == [55, 110, 100, 170, 100])
    let back: JSONValue = ["heartRateHigh": .null, "systolicLow": .null]
    #expect(try await user.post("/sos/thresholds", back).outcome == .ok)
    #expect(try await values(of: user) == [55, 120, 90, 170, 100])
  }

  private func values(of user: SingleUser) async throws -> [JSONValue] {
    try await user.get("/sos/settings").json.thresholds.items.map(\.value)
  }

  @Test("emergency contacts are set and replaced; invalid ones are refused", .tags(.SOS_6))
  func contacts() async throws {
    let user = try await TestSystem.shared().singleUser()
    let anna: JSONValue = [
      "name": "Anna", "email": "Anna@Example.org", "phone": "+39 02 1234567",
    ]
    let luca: JSONValue = ["name": "Luca", "email": "luca@example.org"]
    #expect(try await user.post("/sos/contacts", ["contacts": [anna, luca]]).outcome == .ok)
    let stored = try await user.get("/sos/settings").json.contacts
    #expect(stored.items.map(\.email) == ["anna@example.org", "luca@example.org"])
    #expect(stored[0].phone == "+39021234567")
    let eleven = (0..<11).map { number in luca.with("email", .text("l\(number)@example.org")) }
    for (contacts, field): (JSONValue, String) in [
      ([["name": "Luca"]], "contacts[0].email"),
      ([anna, luca.with("email", "nobody")], "contacts[1].email"),
      ([luca.with("name", "a\nb")], "contacts[0].name"),
      ([luca.with("phone", "112x")], "contacts[0].phone"),
      ([luca.with("phone", "02 1234567")], "contacts[0].phone"),
      ([luca.with("phone", "112")], "contacts[0].phone"), ([luca, luca], "contacts"),
      (.array(eleven), "contacts"),
    ] {
      let reply = try await user.post("/sos/contacts", ["contacts": contacts])
      #expect(reply.outcome == .malformed, "\(reply.text)")
      #expect(reply.field?.hasPrefix(field) == true, "\(reply.text)")
    }
    #expect(try await user.get("/sos/settings").json.contacts.count == 2)
    #expect(try await user.post("/sos/contacts", ["contacts": []]).outcome == .ok)
    #expect(try await user.get("/sos/settings").json.contacts.count == 0)
  }

  @Test("monitoring is paused and resumed", .tags(.SOS_9))
  func pause() async throws {
    let user = try await TestSystem.shared().singleUser()
    #expect(try await user.post("/sos/enable", ["callPermission": true]).outcome == .ok)
    let past = try await user.post("/sos/pause", ["until": "2024-01-01T00:00:00Z"])
    #expect(past.field == "until")
    let soon = TestTimes.second(after: .seconds(3600))
    let paused = try await user.post("/sos/pause", ["until": .text(soon)])
    #expect(paused.json.pausedUntil == .text(soon))
    #expect(try await user.get("/sos/settings").json.pausedUntil == .text(soon))
    #expect(try await user.post("/sos/pause", ["until": .null]).json.pausedUntil == .null)
    #expect(try await user.get("/sos/settings").json.pausedUntil == .null)
  }
}
