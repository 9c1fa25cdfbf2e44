import AutomatedSOS
import Domain
import JSON
import Requirements
import Testing
import Time
import trackme_lab

private func recording(_ entries: [(Double, Double)]) throws -> [RecordedSign] {
  let first = Instant(millisecondsSince1970: 1_700_000_000_000)
  let lines = entries.map { seconds, rate in
    let time = first.adding(milliseconds: Int64(seconds * 1000))
    return "{\"timestamp\":\"\(time)\",\"dataType\":\"heartRate\",\"value\":\(rate)}"
  }
  return try RecordedSign.all(in: lines.joined(separator: "\n"))
}

@Suite("A simulated phone")
struct SimulatedPhoneTests {
  @Test("at rest the phone samples every 30 s and sends every four minutes", .tags(.DAT_9))
  func atRest() {
    var trial = PhoneTrial { ($0.sampleEvery, $0.sendEvery) = (30_000, 240_000) }
    trial.run(until: 3_600_000)
    #expect(trial.kept.count == 121)
    let times = trial.kept.map(\.time.millisecondsSince1970)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == 30_000 })
    let sent = trial.uploads.map(\.0)
    #expect(sent.count == 16 && zip(sent, sent.dropFirst()).allSatisfy { $1 - $0 == 240_000 })
    #expect(trial.raised.isEmpty)
  }

  @Test(
    "during a warning the phone samples thrice a second, sends at once, raises one alert",
    .tags(.DAT_9, .SOS_10))
  func alerted() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.run(until: 9_500)
    #expect(trial.raised.isEmpty && trial.uploads.count == 1)
    trial.run(until: 14_900)
    #expect(trial.raised.count == 1)
    #expect(trial.raised[0].1 == .heartRateHigh)
    #expect(trial.raised[0].0 == 10_000)
    #expect(trial.raised[0].2.count == 1)
    let alerted = trial.kept.filter {
      $0.time.millisecondsSince1970 > trial.start.millisecondsSince1970 + 10_000
    }
    #expect((13...15).contains(alerted.count), "\(alerted.count)")
    // Every measurement during the warning was sent at the same moment.
    #expect(
      trial.uploads.filter { $0.0 > 10_000 }.allSatisfy { at, signs in
        signs.map { $0.time.millisecondsSince1970 - trial.start.millisecondsSince1970 } == [at]
      })
    let notified = trial.said.filter { $0.1.hasSuffix("s to abort") }.map(\.1)
    #expect(notified == (1...4).reversed().map { "\($0) s to abort" })
    #expect(trial.lines.contains("confirmed: help is called at the end of the window"))
    trial.run(until: 15_100)
    #expect(trial.lines.contains("help is called"))
    #expect(trial.aborted.isEmpty)
    trial.run(until: 60_000)
    #expect(trial.raised.count == 1)
    #expect(trial.uploads.filter { $0.0 > 15_100 }.count <= 2)
  }

  @Test("late turns skip no later second of the countdown", .tags(.SOS_10))
  func lateTurns() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.run(until: 10_000)
    for elapsed: Int64 in [11_900, 12_100, 13_100, 14_100] {
      trial.now = trial.start.adding(milliseconds: elapsed)
      trial.perform(trial.phone.advance(to: trial.now))
    }
    let notified = trial.lines.filter { $0.hasSuffix("s to abort") }
    #expect(notified == (1...4).reversed().map { "\($0) s to abort" })
  }

  @Test(
    "the person aborts within the window, and the service is notified",
    .tags(.SOS_4, .SOS_10), arguments: [true, false])
  func aborted(byKey: Bool) {
    var trial = PhoneTrial(.tachycardia) {
      $0.sampleEvery = 1000
      if !byKey { $0.abortAfter = 2000 }
    }
    trial.run(until: 12_000)
    if byKey { trial.perform(trial.phone.abort(at: trial.now)) }
    trial.run(until: 90_000)
    #expect(trial.aborted.map(\.1) == ["an emergency"])
    #expect(trial.aborted.map(\.0) == [12_000])
    #expect(trial.lines.contains("aborted: no call is made"))
    #expect(!trial.lines.contains("help is called"))
    // The rule is suppressed: the heart rate stays critical for half a minute.
    #expect(trial.raised.count == 1)
  }

  @Test(
    "nothing is aborted after the window or without an emergency",
    .tags(.SOS_4))
  func tooLate() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.perform(trial.phone.abort(at: trial.now))
    #expect(trial.lines == ["there is nothing to abort"])
    trial.run(until: 14_900)
    trial.now = trial.start.adding(milliseconds: 15_100)
    trial.perform(trial.phone.abort(at: trial.now))
    #expect(trial.aborted.isEmpty)
    #expect(trial.lines.contains("help is called"))
  }

  @Test(
    "without the gateway the phone warns, counts down, and shows that TrackMe is unreachable",
    .tags(.SOS_10))
  func offline() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.isOffline = true
    trial.run(until: 15_100)
    #expect(trial.lines.contains { $0.hasPrefix("WARNING, heartRateHigh") })
    #expect(trial.lines.last == "help is needed and TrackMe is unreachable: call 112")
    #expect(trial.raised.count > 5, "an alert is raised until it is answered")
    #expect(trial.uploads.isEmpty)
    let kept = trial.kept.count
    #expect(trial.phone.unsent.signs.count == kept)
    trial.isOffline = false
    trial.run(until: 17_000)
    let sent = trial.uploads.flatMap(\.1)
    #expect(sent.count >= kept)
    #expect(sent + trial.phone.unsent.signs == trial.kept)
  }

  @Test(
    "an abort made without the gateway is sent once the gateway is back", .tags(.SOS_4))
  func abortedOffline() {
    var trial = PhoneTrial(.tachycardia) {
      $0.sampleEvery = 1000
      $0.abortAfter = 1000
    }
    trial.isOffline = true
    trial.run(until: 20_000)
    #expect(trial.lines.contains("aborted: no call is made") && trial.aborted.isEmpty)
    trial.isOffline = false
    let alarm = PhoneAlarm(
      stage: "suspected", emergencyID: "late", rule: "heartRateHigh",
      until: trial.now.adding(milliseconds: 5000))
    trial.perform(trial.phone.heard(alarm, at: trial.now))
    #expect(trial.aborted.map(\.1) == ["late"])
    #expect(!trial.phone.isAlerted)
  }

  @Test(
    "an alarm raised only by the service is shown and can be aborted; its end is shown",
    .tags(.SOS_4))
  func ofTheService() {
    var trial = PhoneTrial()
    trial.run(until: 1000)
    let until = trial.now.adding(milliseconds: 5000)
    trial.perform(
      trial.phone.heard(
        PhoneAlarm(stage: "suspected", emergencyID: "other", rule: "fall", until: until),
        at: trial.now))
    #expect(trial.phone.isAlerted)
    trial.run(until: 2000)
    // The sampling rate rises at once, not at the end of the ten seconds.
    #expect(trial.kept.count >= 4)
    trial.perform(trial.phone.abort(at: trial.now))
    #expect(trial.aborted.map(\.1) == ["other"])
    #expect(!trial.phone.isAlerted)
    let end = PhoneAlarm(stage: "aborted", emergencyID: "other", rule: "fall")
    trial.perform(trial.phone.heard(end, at: trial.now))
    #expect(trial.lines.last == "TrackMe: aborted, fall")
  }

  @Test("an abort from elsewhere also ends the phone's own emergency", .tags(.SOS_4))
  func abortedElsewhere() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.run(until: 12_000)
    let end = PhoneAlarm(
      stage: "aborted", emergencyID: "an emergency", rule: "heartRateHigh",
      quietUntil: trial.start.adding(milliseconds: 612_000))
    trial.perform(trial.phone.heard(end, at: trial.now))
    #expect(!trial.phone.isAlerted)
    #expect(
      trial.lines.contains(
        "TrackMe is quiet after your abort until 14:23 UTC: no call is made. "
          + "If you need help call 112."))
    trial.run(until: 60_000)
    #expect(!trial.lines.contains("help is called") && trial.raised.count == 1)
  }

  @Test(
    "a recording is replayed in real time, and a single critical reading asks the person",
    .tags(.SOS_3, .SOS_10))
  func recorded() throws {
    let entries = try recording([(0, 70), (5, 131), (40, 70), (45, 71)])
    var trial = PhoneTrial(recorded: entries) { $0.sampleEvery = 1000 }
    trial.run(until: 39_000)
    #expect(trial.lines.contains { $0.hasPrefix("ARE YOU WELL?") })
    trial.run(until: 44_000)
    #expect(trial.lines.contains("withdrawn: the readings are in bounds again") == false)
    #expect(trial.lines.contains("help is called"), "asked at 35 s, called at 40 s")
    trial.run(until: 60_000)
    #expect(trial.hasEnded)
    #expect(trial.kept.compactMap(\.value.number) == [70, 131, 70, 71])
    #expect(trial.uploads.flatMap(\.1) == trial.kept)
  }

  @Test("a fall is recorded when it happens, not with the next sample", .tags(.SOS_3, .SOS_10))
  func fall() {
    var trial = PhoneTrial(.fall) { $0.sampleEvery = 30_000 }
    trial.run(until: 10_000)
    #expect(trial.raised.map(\.0) == [10_000] && trial.raised.first?.1 == .fall)
    #expect(trial.lines.contains { $0.hasPrefix("ARE YOU WELL?") })
    trial.run(until: 15_200)
    #expect(trial.said.last { $0.1 == "help is called" }?.0 == 15_000)
  }

  @Test(
    "a cardiac arrest is measured three times a second and causes a warning after 3 s",
    .tags(.SOS_13, .SOS_10))
  func cardiacArrest() {
    var trial = PhoneTrial(.cardiacArrest) { $0.sampleEvery = 5_000 }
    trial.run(until: 12_900)
    #expect(trial.raised.isEmpty && !trial.phone.isAlerted)
    trial.run(until: 13_400)
    #expect(trial.raised.map(\.1) == [.lossOfPulse])
    #expect(trial.raised.first?.2.allSatisfy { $0.value.number == 0 } == true)
    let warnedAt = trial.raised.first?.0 ?? 0
    #expect((13_000...13_400).contains(warnedAt))
    trial.run(until: warnedAt + 19_900)
    #expect(!trial.lines.contains("help is called"))
    trial.run(until: warnedAt + 20_400)
    #expect(trial.lines.contains("help is called"))
    // No sample was lost on the way to the service.
    #expect(trial.uploads.flatMap(\.1) + trial.phone.unsent.signs == trial.kept)
  }

  @Test("during exercise a high heart rate is normal", .tags(.SOS_1, .SOS_10))
  func exercise() {
    var trial = PhoneTrial(.exercise) {
      $0.sampleEvery = 5000
      $0.age = Age(months: 30 * 12) ?? .eighteen
    }
    trial.run(until: 300_000)
    #expect(trial.kept.contains { $0.type == .heartRate && ($0.value.number ?? 0) > 140 })
    #expect(trial.raised.isEmpty)
  }

  @Test(
    "the account's settings apply: own thresholds, a pause, switched off",
    .tags(.SOS_1, .SOS_9, .SOS_10))
  func settings() throws {
    func answer(_ change: String) throws -> PhoneSettings {
      let text = """
        {"enabled": true, "confirmSeconds": 3, "abortSeconds": 9, "ageMonths": 480,
         "pausedUntil": null, "thresholds": [
         {"name": "heartRateHigh", "value": 160, "own": true, "min": 110, "max": 180},
         {"name": "heartRateLow", "value": 45, "own": false, "min": 30, "max": 55}]}
        """
      return try JSONReader.read(
        PhoneSettings.self, from: Array((change.isEmpty ? text : change).utf8))
    }
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.perform(trial.phone.took(try answer(""), at: trial.now))
    #expect(trial.lines.last?.contains("heartRateHigh 160") == true)
    trial.run(until: 60_000)
    #expect(trial.raised.isEmpty)
    trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    let paused = trial.start.adding(milliseconds: 600_000)
    let pause = try answer("{\"enabled\": true, \"pausedUntil\": \"\(paused)\"}")
    trial.perform(trial.phone.took(pause, at: trial.now))
    trial.run(until: 60_000)
    #expect(trial.raised.isEmpty)
    trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.perform(trial.phone.took(try answer("{\"enabled\": false}"), at: trial.now))
    trial.run(until: 60_000)
    #expect(trial.raised.isEmpty)
    #expect(trial.lines.contains("AutomatedSOS is switched off: readings are not evaluated"))
  }

  @Test("the phone ends once its samples are sent and no emergency is active")
  func ends() {
    var trial = PhoneTrial { ($0.sampleEvery, $0.count) = (1000, 3) }
    trial.isOffline = true
    trial.run(until: 10_000)
    #expect(!trial.hasEnded && trial.kept.count == 3)
    trial.isOffline = false
    trial.run(until: 20_000)
    #expect(trial.hasEnded && trial.uploads.flatMap(\.1) == trial.kept)
  }
}
