import Foundation
import Requirements
import Support
import Testing

@Suite("Loss of pulse, and readings that no second one confirms, through the gateway")
struct LossOfPulseJourney {
  /// One upload of a device.
  private static func upload(
    _ user: SingleUser, _ token: String, _ samples: [(String, JSONValue)],
    onBody: JSONValue? = nil
  ) async throws -> Reply {
    let body: JSONValue = [
      "dataTypes": .array(samples.map { .text($0.0) }), "values": .array(samples.map(\.1)),
      "timestamp": .array(samples.map { _ in .text(TestTimes.text()) }),
    ]
    return try await user.client.post(
      "/data/upload", token: token, onBody.map { body.with("onBody", $0) } ?? body)
  }

  /// Sends readings of 0 three times a second until the newest emergency reaches a stage.
  private static func loseHeart(
    _ user: SingleUser, _ token: String, until stage: String, onBody: JSONValue? = nil
  ) async throws -> JSONValue {
    try await eventually("a loss of pulse that is \(stage)", within: .seconds(60)) {
      let reply = try await upload(user, token, [("heartRate", 0)], onBody: onBody)
      #expect(reply.outcome == .ok && reply.json.sensorFaults == 1, "\(reply.text)")
      try await pause(.milliseconds(300))
      let newest = try await user.json("/sos/history").episodes[0]
      return newest.stage.text == stage ? newest : nil
    }
  }

  @Test(
    "no pulse after 75 BPM confirms, a pulse withdraws, and help is called after 5 s if worn",
    .tags(.R35, .SOS_13), .timeLimit(.minutes(4)))
  func called() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.monitoredUser()
    let watch = try await user.pair("Watch", types: ["heartRate", "steps"])
    let living = try await Self.upload(user, watch.token, [("heartRate", 75), ("steps", 3)])
    #expect(living.outcome == .ok && living.json.sensorFaults == 0, "\(living.text)")
    let lost = try await Self.loseHeart(user, watch.token, until: "confirmed")
    #expect(lost.rule == "lossOfPulse")
    let begun = try #require(lost.suspectedAt.text.flatMap(TestTimes.seconds))
    let end = try #require(lost.abortUntil.text.flatMap(TestTimes.seconds))
    #expect((end - begun).rounded() == 20)
    let pulse = try await Self.upload(user, watch.token, [("heartRate", 74)])
    #expect(pulse.outcome == .ok)
    _ = try await eventually("the end of the warning") {
      try await user.json("/sos/history").episodes[0].stage == "withdrawn" ? true : nil
    }
    let called = try await Self.loseHeart(
      user, watch.token, until: "dispatched", onBody: [true])
    let suspected = try #require(called.suspectedAt.text.flatMap(TestTimes.seconds))
    let dispatched = try #require(called.dispatchedAt.text.flatMap(TestTimes.seconds))
    let until = try #require(called.abortUntil.text.flatMap(TestTimes.seconds))
    // Not 20 s as above; a warning that is stored late on a busy machine prolongs the window.
    #expect((5.0..<20).contains((until - suspected).rounded()), "\(until - suspected) s")
    #expect(dispatched >= until)
    // The readings are stored with the emergency, but not as samples.
    #expect(called.readings.items.contains { $0.value == "0" })
    let points = try await user.get("/data/series?type=heartRate").json.points
    #expect(points.count == 2)
    let emergency: JSONValue = ["episodeID": called.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
  }

  @Test(
    "a fall is asked about at once, and help is called after one window",
    .tags(.SOS_3), .timeLimit(.minutes(5)))
  func fallen() async throws {
    let system = try await TestSystem.shared()
    let user = try await system.monitoredUser()
    let watch = try await user.pair("Watch", types: ["fall", "heartRate"])
    let stream = try EventReader("/events", watch.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    #expect(try await Self.upload(user, watch.token, [("fall", "1")]).outcome == .ok)
    let alarm = try await eventually("the question") { stream.events.first }
    #expect(alarm.data["data"].stage == "asked" && alarm.data["data"].answerBy.text != nil)
    let entry = try await eventually("the call") {
      let entry = try await user.json("/sos/history").episodes[0]
      return entry.dispatchedAt.text == nil ? nil : entry
    }
    let asked = try #require(entry.askedAt.text.flatMap(TestTimes.seconds))
    let dispatched = try #require(entry.dispatchedAt.text.flatMap(TestTimes.seconds))
    let until = try #require(alarm.data["data"].answerBy.text.flatMap(TestTimes.seconds))
    // One window; a question that is stored late on a busy machine prolongs it.
    #expect((5.0..<10).contains((until - asked).rounded()), "\(until - asked) s")
    #expect(dispatched >= until)
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    let person = try await TestSystem.withMinuteToAbort().monitoredUser()
    let theirs = try await person.pair("Watch")
    let last = try await person.client.post(
      "/sos/alert", token: theirs.token,
      [
        "rule": "heartRateHigh", "last": true,
        "readings": [
          ["dataType": "heartRate", "value": 150, "timestamp": .text(TestTimes.text())]
        ],
      ])
    #expect(last.outcome == .ok && last.json.stage == "asked", "\(last.text)")
    let abort = try await person.post("/sos/abort", ["episodeID": last.json.episodeID])
    #expect(abort.outcome == .ok)
  }

  @Test(
    "an invalid value hides no emergency of a monitored person",
    .tags(.SOS_13), .timeLimit(.minutes(5)),
    arguments: [("position", JSONValue.text("95,200")), ("mood", 1), ("shaking", "1")])
  func badValue(type: String, value: JSONValue) async throws {
    let system = try await TestSystem.withMinuteToAbort()
    let user = try await system.monitoredUser()
    let watch = try await user.pair("Watch", types: ["heartRate", "position"])
    let other = try await system.singleUser()
    // After the response to an upload the gateway knows that the person is monitored.
    #expect(try await Self.upload(user, watch.token, [("heartRate", 75)]).outcome == .ok)
    let refused = try await Self.upload(user, watch.token, [(type, value), ("heartRate", 30)])
    #expect(refused.status == (type == "shaking" ? 403 : 400), "\(refused.text)")
    #expect(refused.json.detail.text?.contains("judged") == true, "\(refused.text)")
    let entry = try await eventually("the emergency") {
      let emergencies = try await user.json("/sos/history").episodes
      return emergencies.count == 1 ? emergencies[0] : nil
    }
    let abort = try await user.post("/sos/abort", ["episodeID": entry.episodeID])
    #expect(abort.outcome == .ok, "\(abort.text)")
    #expect(entry.rule == "heartRateLow")
    #expect(try await user.get("/data/series?type=heartRate").json.points.count == 1)
    // The gateway refuses the same data of an unmonitored person, and no reading is evaluated.
    let plain = try await Self.upload(other, other.token, [("mood", 1), ("heartRate", 30)])
    #expect(plain.status == 400 && plain.json.detail.text?.contains("judged") == false)
  }
}
