import Foundation
import Requirements
import Support
import Testing

// The knowledge of a newly started replica, on the system of `EmergencyJourney` with three of them.
extension EmergencyJourney {
  @Test(
    "critical readings after a call belong to it at every replica, and prolong it",
    .tags(.SOS_7, .NFR_4), .timeLimit(.minutes(8)))
  func staysCritical() async throws {
    let system = try await Self.system.value
    let user = try await system.monitoredUser()
    let hospital = try await system.hospital(at: "45.46,9.19")
    try await user.raiseHeartRate()
    let emergency = try await eventually("the call") {
      let entry = try await user.json("/sos/history").episodes[0]
      return entry.calls.count > 0 ? entry.episodeID : nil
    }
    let document: JSONValue = ["episodeID": emergency]
    #expect(try await hospital.post("/sos/acknowledge", document).outcome == .ok)
    let name = try #require(emergency.text)
    let end = try await system.endQuiet(of: name, afterSeconds: 20)
    try await user.keepCritical { try await system.isQuietProlonged(name) }
    _ = try await eventually("the end of the time that a replica would know of by itself") {
      Date().timeIntervalSince1970 > end ? true : nil
    }
    try await system.replaceReplicas()
    try await user.keepCritical {
      try await user.upload("bloodPressureSystolic", [(TestTimes.text(), 185)])
      return true
    }
    // A second emergency of the pulse would be stored before the one of the pressure.
    let emergencies = try await eventually("another rule's emergency") {
      let emergencies = try await user.json("/sos/history").episodes.items
      return emergencies.contains { $0.rule == "bloodPressureHigh" } ? emergencies : nil
    }
    #expect(emergencies.count { $0.rule == "heartRateHigh" } == 1)
    #expect(try await user.post("/sos/disable", nil).outcome == .ok)
    #expect(try await user.post("/sos/falseAlarm", document).outcome == .ok)
    #expect(try await hospital.post("/sos/duty", ["onDuty": false]).outcome == .ok)
  }

  /// How long a replica waits for the database before it judges a reading
  /// (`EmergencySettings.lookMax`). If the response to an upload takes less, the replica knew
  /// whether the person is monitored, and the types of a device.
  private static let lookMax = Duration.milliseconds(300)

  @Test(
    "a reading sent as soon as monitoring is enabled is judged, whichever replica takes it",
    .tags(.NFR_4), .timeLimit(.minutes(10)))
  func enabledJustNow() async throws {
    let system = try await Self.system.value
    var knownCount = 0
    for number in 1...12 {
      let user = try await system.singleUser()
      // After an earlier upload the gateway assumes that the account is not monitored.
      try await user.upload("heartRate", [(TestTimes.text(), 70)])
      let enabled = try await user.post("/sos/enable", ["callPermission": true])
      #expect(enabled.outcome == .ok, "\(enabled.text)")
      let sent = ContinuousClock.now
      try await user.upload("heartRate", [(TestTimes.text(), 131)])
      // A replica that has not found out in time lets the reading pass; a later one is judged.
      let isKnown = ContinuousClock.now - sent < Self.lookMax
      if isKnown { knownCount += 1 }
      let emergencies = try await eventually("the emergency of person \(number)") {
        if !isKnown { try await user.upload("heartRate", [(TestTimes.text(), 131)]) }
        let emergencies = try await user.json("/sos/history").episodes
        return emergencies.count > 0 ? emergencies : nil
      }
      #expect(emergencies[0].rule == "heartRateHigh")
      #expect(!isKnown || emergencies[0].stage == "suspected")
      #expect(try await user.post("/sos/disable", nil).outcome == .ok)
    }
    #expect(knownCount > 0, "every upload took longer than \(Self.lookMax)")
  }

  @Test(
    "a restarted gateway knows monitored people before they upload anything",
    .tags(.NFR_4), .timeLimit(.minutes(3)))
  func gateway() async throws {
    let system = try await Self.system.value
    func watched() async throws -> Int {
      try await system.metric("trackme_gateway_accounts_watched", of: "gateway")
    }
    let known = try await system.monitoredUser()
    let former = try system.member("gateway").process.int
    try system.crash("gateway")
    try await system.waitUntilReplaced("gateway", former)
    let stored = try await eventually("everybody who is monitored") { () -> Int? in
      let stored = try await system.superuser(
        "SELECT count(*) FROM data4help.monitored_users WHERE permitted_at IS NOT NULL")
      guard let count = Int(stored), count > 0 else { return nil }
      return try await watched() == count ? count : nil
    }
    // The gateway follows changes without an upload too.
    let user = try await system.monitoredUser()
    _ = try await eventually("one more") { try await watched() > stored ? true : nil }
    #expect(try await user.post("/sos/disable", nil).outcome == .ok)
    _ = try await eventually("one less") { try await watched() == stored ? true : nil }
    #expect(try await known.post("/sos/disable", nil).outcome == .ok)
  }

  @Test(
    "a device cannot raise an emergency with a type not paired, not even by its first upload",
    .tags(.DAT_3), .timeLimit(.minutes(8)))
  func unpaired() async throws {
    let system = try await Self.system.value
    // A busy machine may cause a delay: the types of one of several devices must be found in time.
    var late: [Duration] = []
    for _ in 0..<3 {
      guard let delay = try await lateRefusal(system) else { return }
      late.append(delay)
    }
    #expect(late.isEmpty, "refused after \(late)")
  }

  /// Sends readings of a type that the device was not paired for, and expects that they raise no
  /// emergency. Returns the slowest refusal if it took too long to prove that, because a device
  /// whose types are not found in time is believed.
  private func lateRefusal(_ system: TestSystem) async throws -> Duration? {
    let user = try await system.monitoredUser()
    let scale = try await user.pair("Scale", types: ["weight", "bloodPressureSystolic"])
    try await system.replaceReplicas()
    // The person's own upload has the replica connect to the database.
    try await user.upload("bloodPressureSystolic", [(TestTimes.text(), 120)])
    var delays: [Duration] = []
    for rate in [150.0, 151] {
      let sent = ContinuousClock.now
      let refused = try await user.measure(scale.token, .number(rate), at: TestTimes.text())
      delays.append(ContinuousClock.now - sent)
      #expect(refused.outcome == Outcome(403, "Wrong parameters"), "\(refused.text)")
    }
    try await user.upload("bloodPressureSystolic", [(TestTimes.text(), 185)])
    let emergencies = try await eventually("what the person measures") {
      let emergencies = try await user.json("/sos/history").episodes.items
      return emergencies.isEmpty ? nil : emergencies
    }
    #expect(try await user.post("/sos/disable", nil).outcome == .ok)
    let slowest = delays.max() ?? .zero
    guard slowest < Self.lookMax else { return slowest }
    #expect(emergencies.map(\.rule) == ["bloodPressureHigh"])
    return nil
  }
}

extension SingleUser {
  /// Sends a pulse over the threshold twice a second until a condition holds.
  fileprivate func keepCritical(until isDone: () async throws -> Bool) async throws {
    var rate = 131.0
    _ = try await eventually("what follows from critical readings") {
      try await upload("heartRate", [(TestTimes.text(), .number(rate))])
      rate = rate == 139 ? 131 : rate + 1
      try await pause(.milliseconds(500))
      return try await isDone() ? true : nil
    }
  }
}

extension TestSystem {
  /// Shortens the quiet period after an emergency, as if its last critical reading were long ago;
  /// returns its end in seconds since 1970.
  fileprivate func endQuiet(of emergency: String, afterSeconds seconds: Int) async throws -> Double
  {
    let end = try await superuser(
      """
      UPDATE data4help.emergencies SET quiet_until = now() + interval '\(seconds) seconds',
             tracked_until = now() + interval '\(seconds) seconds'
       WHERE emergency_id = '\(emergency)'
      RETURNING extract(epoch FROM quiet_until)
      """)
    return try #require(Double(end), "\(end)")
  }

  /// Whether readings have extended that quiet period by their ten minutes.
  fileprivate func isQuietProlonged(_ emergency: String) async throws -> Bool {
    try await superuser(
      """
      SELECT quiet_until > now() + interval '500 seconds'
        FROM data4help.emergencies WHERE emergency_id = '\(emergency)'
      """) == "t"
  }

  /// Kills every replica of Data4Help and returns once their replacements are ready.
  fileprivate func replaceReplicas() async throws {
    let names = ["data4help-1", "data4help-2", "data4help-3"]
    let former = try names.map { try member($0).process.int }
    for name in names { try crash(name) }
    for (name, process) in zip(names, former) { try await waitUntilReplaced(name, process) }
    // The gateway finds them a moment later.
    let client = try PublicClient(self)
    defer { client.close() }
    _ = try await eventually("an answer") {
      try await client.get("/auth/activ?activToken=x").status == 401 ? true : nil
    }
  }
}
