import AutomatedSOS
import Requirements
import Testing

@Suite("Confirmation of an emergency")
struct ConfirmationTests {
  /// 121 BPM ten times a second, from the first to the last time inclusive.
  private func racing(_ patient: inout Patient, from: Int = 0, to: Int) -> [String] {
    (from...to).flatMap { patient.take(.heartRate(121), at: Double($0) / 10).names }
  }

  @Test("121 BPM for 2.9 s and then in bounds is withdrawn", .tags(.SOS_3))
  func tooShort() throws {
    var patient = try Patient()
    #expect(racing(&patient, to: 29) == ["suspected"])
    #expect(patient.take(.heartRate(120), at: 3).names == ["withdrawn"])
    #expect(patient.timeline(until: 100) == [])
  }

  @Test("121 BPM for 3.0 s is confirmed, and dispatched at the end of the window", .tags(.SOS_3))
  func longEnough() throws {
    var patient = try Patient()
    #expect(racing(&patient, to: 29) == ["suspected"])
    #expect(patient.take(.heartRate(121), at: 2.999).names == [])
    #expect(patient.take(.heartRate(121), at: 3).names == ["confirmed"])
    #expect(patient.timeline(until: 100) == ["5.0 dispatched"])
  }

  @Test("121 BPM for 3.0 s with one reading in bounds between starts again", .tags(.SOS_3))
  func interrupted() throws {
    var patient = try Patient()
    #expect(racing(&patient, to: 14) == ["suspected"])
    #expect(patient.take(.heartRate(119), at: 1.5).names == ["withdrawn"])
    #expect(racing(&patient, from: 16, to: 45) == ["suspected"])
    #expect(patient.take(.heartRate(121), at: 4.6).names == ["confirmed"])
    #expect(patient.timeline(until: 100) == ["6.6 dispatched"])
  }

  @Test("of readings 30 s apart the second critical one confirms", .tags(.SOS_3))
  func farApart() throws {
    var patient = try Patient()
    #expect(patient.take(.heartRate(40), at: 0).names == ["suspected"])
    #expect(patient.take(.heartRate(40), at: 29.9).names == ["confirmed", "dispatched"])
  }

  @Test("of readings 30 s apart a second one in bounds withdraws", .tags(.SOS_3))
  func farApartInBounds() throws {
    var patient = try Patient()
    #expect(patient.take(.heartRate(40), at: 0).names == ["suspected"])
    #expect(patient.take(.heartRate(50), at: 29.9).names == ["withdrawn"])
    #expect(patient.timeline(until: 100) == [])
  }

  @Test("the person is asked if no reading follows the first critical one", .tags(.SOS_3))
  func nothingFollows() throws {
    var patient = try Patient()
    #expect(patient.take(.heartRate(130), at: 0).names == ["suspected"])
    let decisions = patient.advance(to: 30)
    let asked = try #require(decisions.first)
    guard case .asked(_, let answerBy) = asked else {
      Issue.record("\(asked)")
      return
    }
    #expect(answerBy == Patient.moment(35))
    #expect(patient.timeline(until: 100) == ["35.0 confirmed", "35.0 dispatched"])
  }

  @Test("a late question leaves the person the full window to answer", .tags(.SOS_3, .SOS_4))
  func askedLate() throws {
    var patient = try Patient()
    let emergency = try patient.suspected(by: .heartRate(130), at: 0)
    #expect(patient.advance(to: 29.999) == [])
    #expect(patient.advance(to: 90).map(\.name) == ["asked"])
    #expect(patient.advance(to: 94.999) == [])
    #expect(patient.detector.abort(emergency, at: Patient.moment(94.999)) == [.aborted(emergency)])
  }

  @Test("a reading in bounds also withdraws an emergency after its question", .tags(.SOS_3))
  func answeredByReading() throws {
    var patient = try Patient()
    patient.take(.heartRate(130), at: 0)
    #expect(patient.advance(to: 30).map(\.name) == ["asked"])
    #expect(patient.take(.heartRate(90), at: 34.9).names == ["withdrawn"])
  }

  @Test("a confirmed emergency is not withdrawn", .tags(.SOS_3))
  func confirmedStays() throws {
    var patient = try Patient()
    patient.take(.heartRate(130), at: 0)
    #expect(patient.take(.heartRate(130), at: 3.5).names == ["confirmed"])
    #expect(patient.take(.heartRate(80), at: 4).names == [])
    #expect(patient.timeline(until: 100) == ["5.0 dispatched"])
  }

  @Test("readings that arrive together are measured by their own times", .tags(.SOS_3))
  func together() throws {
    var patient = try Patient()
    #expect(patient.take(.heartRate(130), at: 0, received: 10).names == ["suspected"])
    #expect(patient.take(.heartRate(131), at: 2.9, received: 10).names == [])
    #expect(patient.take(.heartRate(132), at: 3, received: 10).names == ["confirmed"])
    #expect(patient.timeline(until: 100) == ["15.0 dispatched"])
  }

  @Test("a reading in bounds affects only its own direction and rule", .tags(.SOS_3))
  func directions() throws {
    var patient = try Patient()
    patient.take(.heartRate(130), at: 0)
    patient.take(.fall, at: 0.5)
    #expect(patient.take(.bloodPressure(systolic: 120, diastolic: 80), at: 1).names == [])
    #expect(patient.take(.heartRate(40), at: 2).names.sorted() == ["suspected", "withdrawn"])
    #expect(patient.take(.fall, at: 3.5).names == [])
  }

  @Test("a fall or shaking asks the person at once, and calls help after one window", .tags(.SOS_3))
  func concluded() throws {
    for conclusion in [Measurement.fall, .shaking] {
      var patient = try Patient(timing: Timing(confirmSeconds: 3, abortSeconds: 10)!)
      let judgement = patient.take(conclusion, at: 0)
      #expect(judgement.names == ["suspected", "asked"])
      guard case .asked(let emergency, let answerBy)? = judgement.decisions.last else { return }
      #expect(answerBy == Patient.moment(10))
      // No measurement confirms or withdraws it.
      #expect(patient.take(conclusion, at: 4).names == [])
      #expect(patient.take(.heartRate(70), at: 5).names == [])
      var aborted = patient
      let decisions = aborted.detector.abort(emergency, at: Patient.moment(9.999))
      #expect(decisions == [.aborted(emergency)])
      #expect(patient.timeline(until: 500) == ["10.0 confirmed", "10.0 dispatched"])
    }
  }

  @Test("the last reading of a device asks the person at once", .tags(.SOS_3))
  func last() throws {
    var patient = try Patient()
    let last = Reading(.heartRate(130), at: Patient.moment(0), isLast: true)
    let names = patient.detector.take(last, at: Patient.moment(0)).names
    #expect(names == ["suspected", "asked"])
    var silent = patient
    #expect(silent.timeline(until: 100) == ["5.0 confirmed", "5.0 dispatched"])
    #expect(patient.take(.heartRate(90), at: 4.9).names == ["withdrawn"])
    // A suspected emergency is asked about too, unless the last reading confirms it.
    patient.take(.heartRate(130), at: 10)
    for (second, expected) in [(12.0, "asked"), (13.0, "confirmed")] {
      let reading = Reading(.heartRate(131), at: Patient.moment(second), isLast: true)
      #expect(patient.detector.take(reading, at: Patient.moment(second)).names == [expected])
    }
    let harmless = Reading(.heartRate(90), at: Patient.moment(20), isLast: true)
    var other = try Patient()
    #expect(other.detector.take(harmless, at: Patient.moment(20)).names == [])
  }

  @Test("one pressure alone raises and confirms, and only both together withdraw", .tags(.SOS_3))
  func onePressure() throws {
    var patient = try Patient()
    #expect(patient.take(.diastolicPressure(110), at: 0).names == ["suspected"])
    #expect(patient.take(.systolicPressure(120), at: 1).names == [])
    #expect(patient.take(.diastolicPressure(90), at: 2).names == [])
    #expect(patient.take(.systolicPressure(180), at: 3).names == ["confirmed"])
    var other = try Patient()
    #expect(other.take(.diastolicPressure(110), at: 0).names == ["suspected"])
    let both = Measurement.bloodPressure(systolic: 120, diastolic: 80)
    #expect(other.take(both, at: 1).names == ["withdrawn"])
    #expect(other.take(.systolicPressure(90), at: 2).names == ["suspected"])
    #expect(other.take(.diastolicPressure(80), at: 3).names == [])
    #expect(other.take(.systolicPressure(91), at: 4).names == ["withdrawn"])
  }

  @Test("the operator's time limits apply on both sides", .tags(.SOS_3, .SOS_4))
  func operatorsTimes() throws {
    for (confirm, abort) in [(0, 5), (61, 5), (3, 0), (3, 61)] {
      #expect(Timing(confirmSeconds: confirm, abortSeconds: abort) == nil)
    }
    #expect(Timing(confirmSeconds: 3, abortSeconds: 5) == Timing())
    var patient = try Patient(timing: Timing(confirmSeconds: 1, abortSeconds: 60)!)
    patient.take(.heartRate(130), at: 0)
    #expect(patient.take(.heartRate(130), at: 0.999).names == [])
    #expect(patient.take(.heartRate(130), at: 1).names == ["confirmed"])
    #expect(patient.timeline(until: 100) == ["60.0 dispatched"])
    var slow = try Patient(timing: Timing(confirmSeconds: 60, abortSeconds: 1)!)
    slow.take(.heartRate(130), at: 0)
    #expect(slow.take(.heartRate(131), at: 29.9).names == [])
    #expect(slow.timeline(until: 100) == ["30.0 asked", "31.0 confirmed", "31.0 dispatched"])
  }
}
