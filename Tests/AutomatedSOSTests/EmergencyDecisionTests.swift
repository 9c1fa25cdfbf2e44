import AutomatedSOS
import Requirements
import Testing

@Suite("Episodes")
struct EmergencyDecisionTests {
  private let racing = Measurement.heartRate(130)

  /// A person whose heart raced from 0 to 4 s.
  private func confirmed() throws -> (Patient, Emergency) {
    var patient = try Patient()
    let emergency = try patient.suspected(by: racing, at: 0)
    #expect(patient.take(racing, at: 4).names == ["confirmed"])
    return (patient, emergency)
  }

  @Test("the window for aborting starts with the warning and is in the decision", .tags(.SOS_4))
  func window() throws {
    var patient = try Patient()
    let judgement = patient.take(racing, at: 10, received: 12)
    let emergency = Emergency(
      rule: .heartRateHigh, firstCritical: Patient.moment(10), suspectedAt: Patient.moment(12),
      abortUntil: Patient.moment(17))
    #expect(judgement.decisions == [.suspected(emergency)])
  }

  @Test("an abort 4.9 s after the warning is in time, 5.1 s after it is too late", .tags(.SOS_4))
  func abort() throws {
    var (patient, emergency) = try confirmed()
    var late = patient
    #expect(patient.detector.abort(emergency, at: Patient.moment(4.9)) == [.aborted(emergency)])
    #expect(patient.timeline(until: 500) == [])
    let decisions = late.detector.abort(emergency, at: Patient.moment(5.1))
    #expect(decisions == [.dispatched(emergency)])
  }

  @Test("a suspected emergency is aborted once", .tags(.SOS_4))
  func abortSuspected() throws {
    var patient = try Patient()
    let emergency = try patient.suspected(by: racing, at: 0)
    #expect(patient.detector.abort(emergency, at: Patient.moment(1)) == [.aborted(emergency)])
    #expect(patient.detector.abort(emergency, at: Patient.moment(2)) == [])
    #expect(patient.take(racing, at: 4).names == [])
  }

  @Test("aborting another emergency changes nothing", .tags(.SOS_4))
  func abortOther() throws {
    var (patient, emergency) = try confirmed()
    for other in [
      Emergency(
        rule: .heartRateLow, firstCritical: emergency.firstCritical,
        suspectedAt: emergency.suspectedAt, abortUntil: emergency.abortUntil),
      Emergency(
        rule: .heartRateHigh, firstCritical: Patient.moment(1),
        suspectedAt: emergency.suspectedAt, abortUntil: emergency.abortUntil),
    ] {
      #expect(patient.detector.abort(other, at: Patient.moment(4.5)) == [])
      #expect(patient.detector.close(other, at: Patient.moment(4.5)) == [])
    }
    #expect(patient.timeline(until: 6) == ["5.0 dispatched"])
  }

  @Test("150 confirming readings make one call", .tags(.SOS_7))
  func oneCall() throws {
    var patient = try Patient()
    var names: [String] = []
    for third in 0..<150 {
      names += patient.take(.heartRate(130 + Double(third % 3)), at: Double(third) / 3).names
    }
    #expect(names == ["suspected", "confirmed", "dispatched"])
  }

  @Test("replicas with the same readings derive the same identifier", .tags(.SOS_7))
  func sameEverywhere() throws {
    var replicas = [try Patient(), try Patient(), try Patient()]
    replicas[2].detector.exercise(until: Patient.moment(-1))
    let emergencies = replicas.indices.map { index in
      replicas[index].take(racing, at: 10, received: 10 + Double(index) * 0.2).decisions[0]
        .emergency!
    }
    #expect(Set(emergencies).count == 3)
    #expect(Set(emergencies.map { $0.name(ofAccount: 7) }).count == 1)
    #expect(emergencies[0].isSame(as: emergencies[2]))
  }

  @Test("emergencies of other accounts, rules and times have other identifiers", .tags(.SOS_7))
  func names() throws {
    var names: Set<[UInt8]> = []
    for account in [Int64(0), 1, 256, .max, -1] {
      for rule in Rule.allCases {
        for time in [Int64(0), 1, 1_790_000_000_000, 253_402_300_799_999] {
          let moment = Moment(milliseconds: time)
          let emergency = Emergency(
            rule: rule, firstCritical: moment, suspectedAt: moment, abortUntil: moment)
          names.insert(emergency.name(ofAccount: account))
        }
      }
    }
    #expect(names.count == 5 * 7 * 4 && names.allSatisfy { $0.count == 17 })
    let moment = Moment(milliseconds: 0x0102_0304_0506)
    let emergency = Emergency(
      rule: .shaking, firstCritical: moment, suspectedAt: moment, abortUntil: moment)
    #expect(
      emergency.name(ofAccount: 0x1112_1314_1516_1718)
        == [0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0, 0, 1, 2, 3, 4, 5, 6, 6])
  }

  @Test("an aborted rule is quiet for ten minutes, then asks again", .tags(.SOS_4, .SOS_7))
  func quietAfterAbort() throws {
    var (patient, emergency) = try confirmed()
    _ = patient.detector.abort(emergency, at: Patient.moment(4.5))
    for second in stride(from: 5.0, to: 604.5, by: 30) {
      #expect(patient.take(.heartRate(131 + second), at: second).decisions.isEmpty)
    }
    #expect(patient.take(.heartRate(140), at: 604.4).names == [])
    #expect(patient.take(.heartRate(141), at: 604.5).names == ["suspected"])
  }

  @Test("other rules are judged while one is quiet", .tags(.SOS_7))
  func othersAreJudged() throws {
    var (patient, emergency) = try confirmed()
    _ = patient.detector.abort(emergency, at: Patient.moment(4.5))
    #expect(patient.take(.heartRate(40), at: 5).names == ["suspected"])
    #expect(patient.take(.fall, at: 5).names == ["suspected", "asked"])
  }

  @Test("after a call the emergency lasts until ten minutes had no critical reading", .tags(.SOS_7))
  func afterCall() throws {
    var (patient, _) = try confirmed()
    #expect(patient.timeline(until: 5) == ["5.0 dispatched"])
    for minute in 1...60 {
      let rate = minute % 3 == 0 ? 80 : 130 + Double(minute % 2)
      #expect(patient.take(.heartRate(rate), at: Double(minute) * 60).names == [])
    }
    // The last critical reading was at minute 59.
    var early = patient
    #expect(early.take(racing, at: 69 * 60 - 0.001).names == [])
    #expect(patient.take(racing, at: 69 * 60).names == ["suspected"])
  }

  @Test(
    "the rule of a closed emergency is quiet for ten minutes, regardless of readings", .tags(.SOS_7)
  )
  func closed() throws {
    var (patient, emergency) = try confirmed()
    #expect(patient.detector.close(emergency, at: Patient.moment(4.5)) == [])
    #expect(patient.detector.close(emergency, at: Patient.moment(5)) == [.dispatched(emergency)])
    #expect(patient.take(racing, at: 300).names == [])
    #expect(patient.take(racing, at: 604.999).names == [])
    #expect(patient.take(racing, at: 605).names == ["suspected"])
  }

  @Test("the rule of a withdrawn emergency can raise another one at once", .tags(.SOS_7))
  func withdrawn() throws {
    var patient = try Patient()
    patient.take(racing, at: 0)
    #expect(patient.take(.heartRate(90), at: 1).names == ["withdrawn"])
    #expect(patient.take(racing, at: 2).names == ["suspected"])
  }

  @Test("a detector takes 112 bytes, and 64 more for each broken rule", .tags(.SOS_10))
  func memory() throws {
    #expect(MemoryLayout<Detector>.stride == 112)
    var patient = try Patient()
    let everything: [Measurement] = [
      .heartRate(130), .heartRate(40), .bloodPressure(systolic: 180, diastolic: 90),
      .systolicPressure(80), .fall, .shaking,
    ]
    var dispatched = 0
    for second in 0..<2000 {
      let decisions = patient.take(everything[second % 6], at: Double(second)).decisions
      dispatched += decisions.count { $0.name == "dispatched" }
    }
    #expect(dispatched > 0)
  }

  @Test("setting the clock back delays no stage by more than its own length", .tags(.SOS_3))
  func clockSetBack() throws {
    var patient = try Patient()
    patient.take(racing, at: 10_000)
    #expect(patient.take(racing, at: 9000).names == [])
    #expect(patient.detector.nextDeadline == Patient.moment(9030))
    #expect(
      patient.timeline(until: 9100)
        == ["9030.0 asked", "9035.0 confirmed", "9040.0 dispatched"])
    #expect(patient.take(.heartRate(40), at: 8000).names == ["suspected"])
    #expect(patient.take(.heartRate(41), at: 8003).names == ["confirmed"])
    #expect(patient.advance(to: 7000) == [])
    #expect(patient.timeline(until: 7010) == ["7005.0 dispatched"])
    #expect(patient.timeline(until: 8000).contains("7600.0 silent"))
  }

  @Test("extreme times do not stop a detector", .tags(.SOS_10))
  func endsOfTime() throws {
    for now in [Moment(milliseconds: .min), Moment(milliseconds: .max)] {
      var detector = Detector(thresholds: Thresholds(age: Age(months: 480)!), startingAt: now)
      for time in [Int64.min, 0, .max] {
        _ = detector.take(Reading(.fall, at: Moment(milliseconds: time)), at: now)
        _ = detector.take(Reading(racing, at: Moment(milliseconds: time)), at: now)
      }
      detector.pause(until: Moment(milliseconds: .max))
      detector.exercise(until: Moment(milliseconds: .max))
      _ = detector.advance(to: Moment(milliseconds: .max))
      _ = detector.nextDeadline
    }
  }
}
