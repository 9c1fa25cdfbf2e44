import Foundation
import Requirements
import Support
import Testing

@Suite("Emergencies without the database, through the gateway")
struct OfflineEmergencyJourney {
  @Test(
    "without the database for a minute the call is on time and the emergency is stored once",
    .tags(.SOS_2, .SOS_7, .NFR_4), .timeLimit(.minutes(15)))
  func unavailable() async throws {
    // A busy machine may cause a delay: one of several attempts must be in time.
    var late: [String] = []
    for _ in 0..<3 {
      guard let reason = try await Self.lateCall() else { return }
      late.append(reason)
    }
    #expect(late.isEmpty, "\(late)")
  }

  /// Waits for the call of an emergency; returns what was late, or nil.
  private static func lateCall() async throws -> String? {
    let receiver = try await Receiver()
    defer { receiver.stop() }
    let system = try await TestSystem([
      "TRACKME_CALLBACK_ALLOW": "127.0.0.0/8",
      "TRACKME_CALLBACK_AUTHORITIES": receiver.certificate,
    ])
    let user = try await system.monitoredUser()
    let hospital = try await system.hospital(at: "45.46,9.19")
    let registered = try await hospital.post(
      "/req/tp/callback", ["url": .text(receiver.url + "/taken")])
    try #require(registered.outcome == .ok, "\(registered.text)")
    try await user.upload("position", [(TestTimes.text(), "45.4642,9.19")])
    let stream = try EventReader("/events", user.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    try await system.waitUntilOfflineReady()
    let lost = ContinuousClock.now
    try await system.setDatabasesUnavailable(true)
    try await raise(user) { try receiver.calls(to: "/taken").first != nil }
    let call = try receiver.calls(to: "/taken")[0]
    #expect(call.type == "sos.called")
    let message = try JSONValue(Array((call.body.text ?? "").utf8))["data"]
    #expect(message.person.full_name.text == user.person.name)
    #expect(message.position.coordinate == "45.4642,9.19")
    // A slow machine may send its second reading late, and no call is made before it.
    let times = [(message.suspectedAt, 5.0), (message.confirmedAt, 0)].compactMap { time, more in
      time.text.flatMap(TestTimes.seconds).map { $0 + more }
    }
    let window = try #require(times.max())
    let calledAt = try #require(message.calledAt.text.flatMap(TestTimes.seconds))
    #expect(calledAt >= window, "called \(window - calledAt) s before the end of the window")
    _ = try await eventually("the stages on the stream") {
      stream.events.map(\.data["data"].stage.text).contains("dispatched") ? true : nil
    }
    let warning = stream.events.first { $0.name == "alarm" }
    #expect(warning?.data["data"].stage == "suspected")
    // Without the database no hospital can acknowledge, and there is no second hospital.
    let emergencyID = try #require(message.episodeID.text)
    let spoken = try await eventually("the call by voice") {
      try? String(contentsOfFile: "\(system.state)/calls/\(emergencyID).txt", encoding: .utf8)
    }
    #expect(spoken.contains("Latitudine 45 virgola 46 42"))
    _ = try await eventually("a minute without the database", within: .seconds(90)) {
      ContinuousClock.now - lost >= .seconds(60) ? true : nil
    }
    try await system.setDatabasesUnavailable(false)
    let entry = try await eventually("the history") {
      let reply = try await user.get("/sos/history")
      return reply.status == 200 && reply.json.episodes.count > 0 ? reply.json.episodes[0] : nil
    }
    #expect(entry.episodeID == message.episodeID)
    #expect(entry.dispatchedAt == message.calledAt)
    #expect(entry.calls[0].hospital.text == hospital.company.name)
    #expect(entry.calls[0].calledAt == message.calledAt)
    #expect((entry.calls[1].hospital, entry.calls[1].voice) == (.null, true))
    let spokenAt = try #require(entry.calls[1].calledAt.text.flatMap(TestTimes.seconds))
    #expect(spokenAt - calledAt >= 30)
    #expect(try await user.get("/sos/history").json.episodes.count == 1)
    let calls = try await receiver.calls(to: "/taken", count: 2)
    #expect(calls[0].id == calls[1].id)
    let sequence = try await hospital.get("/req/tp/events").json["events"].items
    #expect(sequence.count { $0.type == "sos.called" } == 1)
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await user.post("/sos/falseAlarm", emergency).outcome == .ok)
    await system.stop()
    guard calledAt - window >= 2 || spokenAt - calledAt >= 32 else { return nil }
    return "called \(calledAt - window) s after the window, by voice \(spokenAt - calledAt) s later"
  }

  @Test(
    "readings around the threshold without the database: the newest 32 emergencies are kept",
    .tags(.NFR_4), .timeLimit(.minutes(5)))
  func bounded() async throws {
    let system = try await TestSystem(["TRACKME_DATA4HELP_REPLICAS": "1"])
    let user = try await system.monitoredUser()
    let stream = try EventReader("/events", user.token, of: system)
    defer { stream.stop() }
    try await stream.untilOpen()
    _ = try await eventually("the replica watches over the person") {
      try await user.upload("position", [(TestTimes.text(), "45.4642,9.19")])
      return try await system.metric("trackme_data4help_people_to_call_for", of: "data4help-1") > 0
        ? true : nil
    }
    try await system.setDatabasesUnavailable(true)
    let now = Date()
    _ = try await eventually("the warnings") {
      // The upload is evaluated but can't be stored.
      let reply = try await user.post("/data/upload", Self.wavering())
      #expect(reply.status == 503)
      return stream.events.count >= 2 ? true : nil
    }
    try await system.setDatabasesUnavailable(false)
    let emergencies = try await eventually("the history") { () -> [JSONValue]? in
      let reply = try await user.get("/sos/history?limit=500")
      guard reply.status == 200, reply.json.episodes.count >= 32 else { return nil }
      return reply.json.episodes.items
    }
    // One more may have been in the process of being stored when it had to be dropped.
    #expect((32...33).contains(emergencies.count))
    // The last reading that raised it is the second to last of the upload.
    let newest = emergencies[0].readings.items.last?.timestamp.text.flatMap(TestTimes.seconds)
    #expect(try #require(newest) > now.timeIntervalSince1970 - 1.1)
    #expect(
      emergencies.prefix(32).allSatisfy { $0.stage == "withdrawn" }, "\(emergencies.map(\.stage))")
    await system.stop()
  }

  /// An upload of readings that cross the threshold fifty times.
  private static func wavering() -> JSONValue {
    let now = Date()
    return [
      "dataTypes": .array((0..<100).map { _ in "heartRate" }),
      "values": .array((0..<100).map { .number($0 % 2 == 0 ? 131 : 80) }),
      "timestamp": .array(
        (0..<100).map {
          .text(TestTimes.text(after: .milliseconds(10 * $0 - 2_000), now))
        }),
    ]
  }

  /// Sends readings over the threshold three times a second until a condition holds.
  private static func raise(
    _ user: SingleUser, until isDone: () async throws -> Bool
  ) async throws {
    var rate = 131.0
    _ = try await eventually("the call") {
      let sending = Task { [rate] in
        try await user.measure(user.token, .number(rate), at: TestTimes.text())
      }
      rate = rate == 139 ? 131 : rate + 1
      try await pause(.milliseconds(300))
      sending.cancel()
      return try await isDone() ? true : nil
    }
  }
}

extension TestSystem {
  /// Waits until every replica knows the hospital and one of them the person, as offline work
  /// requires.
  func waitUntilOfflineReady(_ replicas: [String] = ["data4help-1", "data4help-2"]) async throws {
    _ = try await eventually("what is known without the database") { () -> Bool? in
      var people = 0
      for name in replicas {
        people += try await metric("trackme_data4help_people_to_call_for", of: name)
        if try await metric("trackme_data4help_hospitals_to_call", of: name) == 0 { return nil }
      }
      return people > 0 ? true : nil
    }
  }

  /// Blocks or permits all connections to both databases.
  fileprivate func setDatabasesUnavailable(_ isUnavailable: Bool) async throws {
    for name in ["trackme", "trackme_keys"] {
      try await superuser(
        "ALTER DATABASE \(name) ALLOW_CONNECTIONS \(!isUnavailable)", in: "postgres")
      guard isUnavailable else { continue }
      try await superuser(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'",
        in: "postgres")
    }
  }
}
