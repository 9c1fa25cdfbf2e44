import Foundation
import Requirements
import Support
import Testing

@Suite("Emergencies while the database hangs, through the gateway", .serialized)
struct HangJourney {
  /// A person with a watch and an open stream, a hospital on duty with a callback, and replicas
  /// that know both.
  private struct Scene {
    let system: TestSystem
    let receiver: Receiver
    let replicas: [String]
    let user: SingleUser
    let watch: PairedDevice
    let hospital: ThirdParty
    let stream: EventReader

    init(replicas count: Int) async throws {
      receiver = try await Receiver()
      replicas = (1...count).map { "data4help-\($0)" }
      system = try await TestSystem([
        "TRACKME_CALLBACK_ALLOW": "127.0.0.0/8", "TRACKME_DATA4HELP_REPLICAS": "\(count)",
        "TRACKME_CALLBACK_AUTHORITIES": receiver.certificate,
      ])
      user = try await system.monitoredUser()
      watch = try await user.pair("Watch", types: ["heartRate"])
      hospital = try await system.hospital(at: "45.46,9.19")
      let registered = try await hospital.post(
        "/req/tp/callback", ["url": .text(receiver.url + "/taken")])
      try #require(registered.outcome == .ok, "\(registered.text)")
      try await user.upload("position", [(TestTimes.text(), "45.4642,9.19")])
      #expect(try await user.measure(watch.token, 80, at: TestTimes.text()).outcome == .ok)
      let stream = try EventReader("/events", watch.token, of: system)
      self.stream = stream
      try await stream.untilOpen()
      try await system.waitUntilOfflineReady(replicas)
    }

    /// Raises an alert by the watch; returns the response and the time of the reading.
    func raise(_ rate: Double) async throws -> (reply: Reply, measured: Double) {
      let now = Date()
      let reading: JSONValue = [
        "dataType": "heartRate", "value": .number(rate), "timestamp": .text(TestTimes.text(now)),
      ]
      let reply = try await user.client.post(
        "/sos/alert", token: watch.token, ["rule": "heartRateHigh", "readings": [reading]])
      return (reply, now.timeIntervalSince1970)
    }

    func stages() -> [String] { stream.events.compactMap { $0.data["data"].stage.text } }

    /// Waits until this time after a given one.
    func wait(_ seconds: Double, after moment: Double) async throws {
      let left = moment + seconds - Date().timeIntervalSince1970
      try await pause(.milliseconds(Int(max(left, 0) * 1000)))
    }

    /// The only emergency of the history, once the database has stored it.
    func stored() async throws -> JSONValue {
      try system.setDatabaseHanging(false)
      return try await eventually("the history") {
        let reply = try await user.get("/sos/history")
        guard reply.status == 200, reply.json.episodes.count > 0 else { return nil }
        #expect(reply.json.episodes.count == 1)
        return reply.json.episodes[0]
      }
    }

    func end() async throws {
      try system.setDatabaseHanging(false)
      stream.stop()
      receiver.stop()
      await system.stop()
    }
  }

  @Test(
    "a warning within a second, an abort at four: no call, also after a restart in between",
    .tags(.SOS_4, .SOS_7, .NFR_4), .timeLimit(.minutes(10)), arguments: [false, true])
  func aborted(_ isRestarted: Bool) async throws {
    // A busy machine may cause a delay: one of several attempts must be in time.
    var late: [String] = []
    for _ in 0..<3 {
      guard let reason = try await Self.lateAbort(isRestarted) else { return }
      late.append(reason)
    }
    #expect(late.isEmpty, "\(late)")
  }

  /// Raises an alert and aborts the emergency; returns what was late, or nil.
  private static func lateAbort(_ isRestarted: Bool) async throws -> String? {
    let scene = try await Scene(replicas: isRestarted ? 1 : 2)
    try scene.system.setDatabaseHanging(true)
    let sent = Date().timeIntervalSince1970
    let (raised, measured) = try await scene.raise(131)
    let answered = Date().timeIntervalSince1970 - sent
    #expect((raised.status, raised.json.stage) == (200, "suspected"), "\(raised.text)")
    let warning = try await eventually("the warning") { scene.stream.events.first }
    #expect(warning.data["data"].episodeID == raised.json.episodeID)
    // Readings three seconds apart confirm.
    try await scene.wait(3.2, after: measured)
    let (confirmed, _) = try await scene.raise(133)
    try await scene.wait(4, after: sent)
    let emergency: JSONValue = ["episodeID": raised.json.episodeID]
    let abort = try await scene.user.client.post(
      "/sos/abort", token: scene.watch.token, emergency)
    let aborted = Date().timeIntervalSince1970 - sent
    guard answered < 1, warning.time - sent < 1, aborted < 5 else {
      try await scene.end()
      return "answered after \(answered) s, warned after \(warning.time - sent) s, "
        + "the abort answered after \(aborted) s"
    }
    #expect(confirmed.json.stage == "confirmed", "\(confirmed.text)")
    #expect(abort.outcome == .ok, "\(abort.text)")
    if isRestarted {
      let former = try scene.system.member("data4help-1").process.int
      try scene.system.crash("data4help-1")
      _ = try await eventually("the restart") {
        let process = try scene.system.member("data4help-1").process.int
        return process != nil && process != former ? true : nil
      }
    }
    // This only lets the window end.
    try await scene.wait(8, after: sent)
    #expect(try scene.receiver.calls(to: "/taken").isEmpty)
    let entry = try await scene.stored()
    #expect((entry.episodeID, entry.stage) == (raised.json.episodeID, "aborted"))
    #expect(entry.calls.count == 0)
    _ = try await eventually("an empty journal") {
      let files = try FileManager.default.contentsOfDirectory(
        atPath: scene.system.state + "/aborts")
      let sizes = try files.map { name in
        try Data(contentsOf: URL(filePath: scene.system.state + "/aborts/" + name)).count
      }
      return !files.isEmpty && sizes.allSatisfy { $0 == 0 } ? true : nil
    }
    #expect(try scene.receiver.calls(to: "/taken").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: scene.system.state + "/calls"))
    try await scene.end()
    return nil
  }

  @Test(
    "without an abort there is one call at the end of the window, and one stored emergency",
    .tags(.SOS_7, .NFR_4), .timeLimit(.minutes(10)))
  func called() async throws {
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
    let scene = try await Scene(replicas: 2)
    try scene.system.setDatabaseHanging(true)
    let sent = Date().timeIntervalSince1970
    // A watch that sends readings in sequence and waits for each response up to a timeout.
    var rate = 131.0
    _ = try await eventually("the call") {
      let sending = Task { [rate] in
        try await scene.user.measure(scene.watch.token, .number(rate), at: TestTimes.text())
      }
      rate = rate == 139 ? 131 : rate + 1
      try await pause(.milliseconds(500))
      sending.cancel()
      return try scene.receiver.calls(to: "/taken").isEmpty ? nil : true
    }
    let warning = try #require(scene.stream.events.first)
    _ = try await eventually("the stages") { scene.stages().contains("dispatched") ? true : nil }
    // Each stage occurs once and in order.
    #expect(scene.stages() == ["suspected", "confirmed", "dispatched"])
    let call = try scene.receiver.calls(to: "/taken")[0]
    let message = try JSONValue(Array((call.body.text ?? "").utf8))["data"]
    let times = [(message.suspectedAt, 5.0), (message.confirmedAt, 0)].compactMap { time, more in
      time.text.flatMap(TestTimes.seconds).map { $0 + more }
    }
    let window = try #require(times.max())
    let calledAt = try #require(message.calledAt.text.flatMap(TestTimes.seconds))
    #expect(calledAt >= window, "called \(window - calledAt) s before the end of the window")
    #expect(try scene.receiver.calls(to: "/taken").count == 1)
    let entry = try await scene.stored()
    #expect((entry.episodeID, entry.stage) == (message.episodeID, "dispatched"))
    #expect((entry.calls.count, entry.calls[0].calledAt) == (1, message.calledAt))
    let emergency: JSONValue = ["episodeID": entry.episodeID]
    #expect(try await scene.hospital.post("/sos/acknowledge", emergency).outcome == .ok)
    // The sequence contains the same message again.
    let calls = try await scene.receiver.calls(to: "/taken", count: 2)
    #expect(calls[0].id == calls[1].id)
    let sequence = try await scene.hospital.get("/req/tp/events").json["events"].items
    #expect(sequence.count { $0.type == "sos.called" } == 1)
    try await scene.end()
    guard warning.time - sent >= 1 || calledAt - window >= 2 else { return nil }
    return "warned after \(warning.time - sent) s, called \(calledAt - window) s after the window"
  }
}
