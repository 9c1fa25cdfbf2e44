import AutomatedSOS
import Requirements
import Testing

@Suite("Loss of pulse", .tags(.SOS_13))
struct LossOfPulseTests {
  /// A person whose heart rate was 75 BPM at the beginning, from source 0.
  private func living(_ timing: Timing = Timing()) throws -> Patient {
    var patient = try Patient(timing: timing)
    #expect(patient.take(.heartRate(75), at: 0).verdict == .normal)
    return patient
  }

  private func take(
    _ patient: inout Patient, _ rate: Double, at seconds: Double, from source: Int32 = 0,
    isOnBody: Bool? = nil, isLast: Bool = false
  ) -> Judgement {
    patient.detector.take(
      Reading(
        .heartRate(rate), at: Patient.moment(seconds), from: source, isOnBody: isOnBody,
        isLast: isLast), at: Patient.moment(seconds))
  }

  @Test("the second reading of 0 confirms 3.0 s after the first, 2.9 s after it does not")
  func confirmed() throws {
    for (second, names) in [(12.9, []), (13, ["suspected", "confirmed"])] {
      var patient = try living()
      let first = patient.take(.heartRate(0), at: 10)
      #expect(first.verdict == .critical && first.names == [])
      #expect(patient.take(.heartRate(0), at: second).names == names)
    }
    var patient = try living()
    patient.take(.heartRate(0), at: 10)
    let emergency = try patient.suspected(by: .heartRate(0), at: 13)
    #expect(emergency.rule == .lossOfPulse)
    #expect(emergency.firstCritical == Patient.moment(10))
    #expect(emergency.suspectedAt == Patient.moment(13))
    #expect(emergency.abortUntil == Patient.moment(33))
    #expect(patient.timeline(until: 100) == ["33.0 dispatched"])
  }

  @Test("19 BPM is not a pulse, 20 BPM is", arguments: [(19.0, true), (19.9, true), (20, false)])
  func bounds(rate: Double, isLoss: Bool) throws {
    var patient = try living()
    patient.take(.heartRate(rate), at: 10)
    let names = patient.take(.heartRate(rate), at: 13).names
    #expect(names == (isLoss ? ["suspected", "confirmed"] : ["confirmed"]))
    #expect((patient.detector.emergency(of: .lossOfPulse) != nil) == isLoss)
  }

  @Test("the person is asked 10 s after a first reading alone, and no answer calls help")
  func asked() throws {
    var patient = try living()
    patient.take(.heartRate(0), at: 10)
    #expect(patient.detector.pulseDeadline == Patient.moment(20))
    #expect(patient.advance(to: 19.999) == [])
    let decisions = patient.advance(to: 20)
    #expect(decisions.map(\.name) == ["suspected", "asked"])
    #expect(patient.detector.pulseDeadline == nil)
    var confirmed = patient
    #expect(patient.timeline(until: 100) == ["40.0 confirmed", "40.0 dispatched"])
    #expect(confirmed.take(.heartRate(0), at: 30).names == ["confirmed"])
    #expect(confirmed.timeline(until: 100) == ["40.0 dispatched"])
  }

  @Test("a pulse, a step or speed after the first reading withdraws, even if confirmed")
  func withdrawn() throws {
    for life in [Measurement.heartRate(20), .steps(1), .speed(0.1)] {
      var patient = try living()
      patient.take(.heartRate(0), at: 10)
      patient.take(life, at: 11)
      #expect(patient.detector.pulseDeadline == nil)
      #expect(patient.take(.heartRate(0), at: 14).names == [])
      #expect(patient.take(.heartRate(0), at: 17).names == ["suspected", "confirmed"])
      #expect(patient.take(life, at: 36.9).names.contains("withdrawn"))
      #expect(!patient.timeline(until: 60).contains { $0.hasSuffix("dispatched") })
      var asked = try living()
      asked.take(.heartRate(0), at: 10)
      #expect(asked.advance(to: 20).map(\.name) == ["suspected", "asked"])
      #expect(asked.take(life, at: 39.9).names.contains("withdrawn"))
    }
  }

  @Test("earlier measurements and invalid ones withdraw nothing")
  func notWithdrawn() throws {
    var patient = try living()
    patient.take(.heartRate(0), at: 10)
    patient.take(.speed(2), at: 10, received: 11)
    patient.take(.steps(30), at: 9, received: 11)
    patient.take(.steps(0), at: 11)
    patient.take(.speed(0), at: 11)
    patient.take(.fall, at: 11)
    patient.take(.bloodPressure(systolic: 120, diastolic: 80), at: 11)
    #expect(patient.take(.heartRate(0), at: 13).names == ["suspected", "confirmed"])
    patient.take(.steps(30), at: 10, received: 14)
    #expect(patient.timeline(until: 18).contains("18.0 dispatched"))
  }

  @Test("after the call a pulse changes nothing, and readings of 0 belong to it")
  func afterCall() throws {
    var patient = try living()
    patient.take(.heartRate(0), at: 10)
    patient.take(.heartRate(0), at: 13)
    #expect(patient.timeline(until: 33) == ["33.0 dispatched"])
    #expect(patient.take(.heartRate(70), at: 34).names == [])
    #expect(patient.take(.heartRate(0), at: 200).verdict == .critical)
    #expect(patient.detector.quietUntil(.lossOfPulse) == Patient.moment(800))
  }

  @Test("without a plausible reading of its source in the 60 s before it is a sensor fault")
  func fault() throws {
    var never = try Patient()
    for second in 0..<100 {
      #expect(take(&never, 0, at: Double(second)).verdict == .ignored(.implausible))
    }
    #expect(never.timeline(until: 500) == [])
    for (second, verdict) in [(60.0, Verdict.critical), (60.001, .ignored(.implausible))] {
      var patient = try living()
      #expect(take(&patient, 0, at: second).verdict == verdict)
    }
    var other = try living()
    #expect(take(&other, 0, at: 10, from: 7).verdict == .ignored(.implausible))
    #expect(take(&other, 80, at: 11, from: 7).verdict == .normal)
    #expect(take(&other, 0, at: 12, from: 7).verdict == .critical)
    #expect(take(&other, 0, at: 15, from: 7).names == ["suspected", "confirmed"])
  }

  @Test("each of three sources has its own pulse")
  func sources() throws {
    for lost in Int32(0)...2 {
      var patient = try living()
      for source in Int32(1)...2 { _ = take(&patient, 70, at: Double(source), from: source) }
      _ = take(&patient, 0, at: 20, from: lost)
      #expect(take(&patient, 0, at: 23, from: lost).names == ["suspected", "confirmed"])
    }
    // The pulse of another device counts as a pulse.
    var patient = try living()
    _ = take(&patient, 0, at: 20)
    _ = take(&patient, 70, at: 21, from: 1)
    #expect(patient.timeline(until: 60) == [])
  }

  @Test("a device reported as taken off raises nothing, and ends a pending loss")
  func offBody() throws {
    var patient = try living()
    for second in 1...50 {
      let judgement = take(&patient, 0, at: Double(second), isOnBody: false)
      #expect(judgement.verdict == .ignored(.offBody) && judgement.names == [])
    }
    #expect(patient.timeline(until: 300) == [])
    var late = try living()
    #expect(take(&late, 0, at: 10).verdict == .critical)
    _ = take(&late, 0, at: 11, isOnBody: false)
    #expect(late.timeline(until: 300) == [])
    // An emergency that the person was notified of can be aborted.
    var told = try living()
    _ = take(&told, 0, at: 10)
    _ = take(&told, 0, at: 13)
    #expect(take(&told, 0, at: 14, isOnBody: false).names == [])
    #expect(told.timeline(until: 100) == ["33.0 dispatched"])
  }

  @Test("the window is 5 s if the device reports that it is worn")
  func onBody() throws {
    for flags: (Bool?, Bool?) in [(true, nil), (nil, true), (true, true)] {
      var patient = try living()
      _ = take(&patient, 0, at: 10, isOnBody: flags.0)
      #expect(
        take(&patient, 0, at: 13, isOnBody: flags.1).names == ["suspected", "confirmed"])
      #expect(patient.timeline(until: 100) == ["18.0 dispatched"])
    }
    var asked = try living()
    _ = take(&asked, 0, at: 10, isOnBody: true)
    #expect(
      asked.timeline(until: 100)
        == ["20.0 suspected", "20.0 asked", "25.0 confirmed", "25.0 dispatched"])
  }

  @Test("the window is 5 s after a fall or shaking in the 60 s before, else 20 s")
  func fallen() throws {
    for (conclusion, seconds, end) in [
      (Measurement.fall, 13.0, 78.0), (.shaking, 13, 78), (.fall, 12.999, 93),
    ] {
      var patient = try Patient()
      let emergency = try patient.suspected(by: conclusion, at: seconds)
      _ = patient.detector.abort(emergency, at: Patient.moment(seconds + 1))
      patient.take(.heartRate(75), at: 60)
      patient.take(.heartRate(0), at: 70)
      #expect(patient.take(.heartRate(0), at: 73).names == ["suspected", "confirmed"])
      #expect(patient.timeline(until: 100) == ["\(end) dispatched"])
    }
  }

  @Test("the operator's window holds from 5 to 60 s")
  func window() throws {
    for seconds in [4, 61] {
      #expect(Timing(confirmSeconds: 3, abortSeconds: 5, pulseAbortSeconds: seconds) == nil)
    }
    for seconds in [5, 60] {
      let timing = try #require(
        Timing(confirmSeconds: 3, abortSeconds: 5, pulseAbortSeconds: seconds))
      var patient = try living(timing)
      patient.take(.heartRate(0), at: 10)
      patient.take(.heartRate(0), at: 13)
      #expect(patient.timeline(until: 100) == ["\(13.0 + Double(seconds)) dispatched"])
    }
  }

  @Test("the same 0 a hundred times is not a stuck sensor")
  func notStuck() throws {
    var patient = try living()
    var names: [String] = []
    for third in 0..<100 {
      let judgement = patient.take(.heartRate(0), at: 10 + Double(third) / 3)
      names += judgement.names
      #expect(judgement.verdict == .critical)
    }
    #expect(names == ["suspected", "confirmed", "dispatched"])
  }

  @Test("the last reading of a device asks the person at once")
  func last() throws {
    var patient = try living()
    #expect(take(&patient, 0, at: 10, isLast: true).names == ["suspected", "asked"])
    #expect(patient.timeline(until: 100) == ["30.0 confirmed", "30.0 dispatched"])
  }

  @Test("after an abort before the call, no call is made for ten minutes")
  func aborted() throws {
    var patient = try living()
    patient.take(.heartRate(0), at: 10)
    let emergency = try patient.suspected(by: .heartRate(0), at: 13)
    var late = patient
    #expect(patient.detector.abort(emergency, at: Patient.moment(32.9)) == [.aborted(emergency)])
    #expect(late.detector.abort(emergency, at: Patient.moment(33)) == [.dispatched(emergency)])
    patient.take(.heartRate(75), at: 40)
    patient.take(.heartRate(0), at: 50)
    #expect(patient.take(.heartRate(0), at: 53).names == [])
  }

  @Test("readings without a pulse neither confirm nor withdraw an emergency of another rule")
  func otherRules() throws {
    var patient = try Patient()
    patient.take(.heartRate(40), at: 0)
    patient.take(.heartRate(0), at: 1)
    #expect(patient.take(.heartRate(0), at: 4).names == ["suspected", "confirmed"])
    #expect(patient.detector.emergency(of: .heartRateLow)?.abortUntil == Patient.moment(5))
    #expect(patient.take(.heartRate(41), at: 4.5).names.sorted() == ["confirmed", "withdrawn"])
  }

  @Test("old readings, and those during a pause, raise nothing")
  func staleAndPaused() throws {
    var patient = try living()
    #expect(patient.take(.heartRate(0), at: 10, received: 70.001).verdict == .ignored(.stale))
    var paused = try living()
    paused.detector.pause(until: Patient.moment(30))
    #expect(take(&paused, 0, at: 29.9).verdict == .ignored(.paused))
    #expect(paused.timeline(until: 100) == [])
    #expect(take(&paused, 0, at: 31).verdict == .critical)
  }
}
