import AutomatedSOS
import Requirements
import Testing

@Suite("Ignored readings")
struct BadReadingTests {
  @Test(
    "values impossible for a living person raise nothing", .tags(.SOS_3),
    arguments: [
      Measurement.heartRate(0), .heartRate(19.9), .heartRate(250.1), .heartRate(-1),
      .heartRate(.nan), .heartRate(.infinity), .systolicPressure(39.9), .systolicPressure(300.1),
      .systolicPressure(.nan), .diastolicPressure(19.9), .diastolicPressure(200.1),
      .bloodPressure(systolic: 180, diastolic: 180), .bloodPressure(systolic: 80, diastolic: 90),
      .bloodPressure(systolic: 301, diastolic: 80), .bloodPressure(systolic: 180, diastolic: 19),
      .speed(-0.1), .speed(100.1), .speed(.nan),
    ])
  func implausible(measurement: Measurement) throws {
    var patient = try Patient()
    let judgement = patient.take(measurement, at: 0)
    #expect(judgement.verdict == .ignored(.implausible) && judgement.decisions == [])
  }

  @Test(
    "the last plausible values are judged", .tags(.SOS_3),
    arguments: [
      Measurement.heartRate(20), .heartRate(250), .systolicPressure(40), .systolicPressure(300),
      .diastolicPressure(200), .bloodPressure(systolic: 20.5 + 150, diastolic: 20),
    ])
  func plausible(measurement: Measurement) throws {
    var patient = try Patient()
    #expect(patient.take(measurement, at: 0).verdict == .critical)
  }

  @Test("a sensor fault during an emergency neither confirms nor withdraws it", .tags(.SOS_3))
  func faultInside() throws {
    var patient = try Patient()
    patient.take(.heartRate(130), at: 0)
    #expect(patient.take(.heartRate(0), at: 1).names == [])
    #expect(patient.take(.heartRate(300), at: 3.5).names == [])
    #expect(patient.take(.heartRate(130), at: 4).names == ["confirmed"])
  }

  @Test("the same value 60 times in a row is a stuck sensor, 59 times it is not", .tags(.SOS_3))
  func stuck() throws {
    var patient = try Patient()
    patient.detector.exercise(until: Patient.moment(60))
    for second in 1...58 { patient.take(.heartRate(130), at: Double(second)) }
    var moving = patient
    #expect(moving.take(.heartRate(130), at: 61).names == ["suspected"])
    patient.take(.heartRate(130), at: 59)
    #expect(patient.take(.heartRate(130), at: 61).verdict == .ignored(.stuck))
    #expect(patient.take(.heartRate(130), at: 65).verdict == .ignored(.stuck))
    #expect(patient.take(.heartRate(131), at: 66).names == ["suspected"])
  }

  @Test("a sensor is stuck by all its values: stale, paused, and both pressures", .tags(.SOS_3))
  func stuckPressure() throws {
    var patient = try Patient()
    patient.detector.pause(until: Patient.moment(20))
    let pressure = Measurement.bloodPressure(systolic: 180, diastolic: 90)
    for second in 1...30 { patient.take(pressure, at: Double(second), received: 100) }
    for second in 31...59 { patient.take(pressure, at: Double(second), received: 150) }
    #expect(patient.take(pressure, at: 149, received: 150).verdict == .ignored(.stuck))
    let other = Measurement.bloodPressure(systolic: 180, diastolic: 91)
    #expect(patient.take(other, at: 150).names == ["suspected"])
  }

  @Test("a repeated reading counts once", .tags(.SOS_3))
  func doubled() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 0)
    for _ in 0..<100 {
      #expect(patient.take(.heartRate(80), at: 0, received: 1).verdict == .ignored(.late))
    }
    #expect(patient.take(.heartRate(130), at: 2).names == ["suspected"])
    #expect(patient.take(.heartRate(130), at: 2, received: 10).verdict == .ignored(.late))
    #expect(patient.take(.heartRate(80), at: 11).names == ["withdrawn"])
    #expect(patient.take(.heartRate(130), at: 2, received: 12).names == [])
    #expect(patient.timeline(until: 100) == [])
  }

  @Test("a repeated fall is the same fall", .tags(.SOS_3, .SOS_7))
  func doubledFall() throws {
    var patient = try Patient()
    #expect(patient.take(.fall, at: 0).names == ["suspected", "asked"])
    #expect(patient.take(.fall, at: 0, received: 4.9).names == [])
    #expect(patient.timeline(until: 40) == ["5.0 confirmed", "5.0 dispatched"])
    #expect(patient.take(.fall, at: 0, received: 59).names == [])
  }

  @Test("a late reading raises, confirms and withdraws nothing", .tags(.SOS_3))
  func late() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 10)
    #expect(patient.take(.heartRate(130), at: 9.9, received: 10).verdict == .ignored(.late))
    patient.take(.heartRate(130), at: 20)
    #expect(patient.take(.heartRate(80), at: 15, received: 21).names == [])
    #expect(patient.take(.heartRate(135), at: 16, received: 21).names == [])
    #expect(patient.take(.heartRate(135), at: 23).names == ["confirmed"])
  }

  @Test("of two values with the same time the later arrival counts", .tags(.SOS_3))
  func sameTime() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 0)
    #expect(patient.take(.heartRate(130), at: 0).names == ["suspected"])
    #expect(patient.take(.heartRate(81), at: 0).names == ["withdrawn"])
  }

  @Test("an unordered upload is judged by its newest reading", .tags(.SOS_3))
  func unordered() throws {
    var patient = try Patient()
    let upload = [(3.2, 131.0), (0, 132), (1.5, 80), (2, 133)]
    let names = upload.flatMap { time, rate in
      patient.take(.heartRate(rate), at: time, received: 4).names
    }
    #expect(names == ["suspected"])
    #expect(patient.take(.heartRate(80), at: 4.1).names == ["withdrawn"])
  }

  @Test("a reading is judged up to an age of 60 s", .tags(.SOS_3))
  func stale() throws {
    var patient = try Patient()
    let old = patient.take(.heartRate(130), at: 10, received: 70.001)
    #expect(old.verdict == .ignored(.stale) && old.decisions == [])
    #expect(patient.take(.heartRate(130), at: 10.001, received: 70.001).names == ["suspected"])
    #expect(patient.take(.heartRate(130), at: 14, received: 74.001).names == [])
    #expect(patient.take(.heartRate(80), at: 15, received: 75.001).names == [])
    #expect(
      patient.take(.heartRate(130), at: 16, received: 75.9).names == ["confirmed", "dispatched"])
  }

  @Test("a reading up to five minutes ahead counts as measured now", .tags(.SOS_3))
  func future() throws {
    var patient = try Patient()
    let ahead = patient.take(.heartRate(130), at: 300.001, received: 0)
    #expect(ahead.verdict == .ignored(.ahead) && ahead.decisions == [])
    let decisions = patient.take(.heartRate(130), at: 300, received: 0).decisions
    let emergency = try #require(decisions.first?.emergency)
    #expect(emergency.firstCritical == Patient.moment(0))
    #expect(patient.take(.heartRate(131), at: 303, received: 0).names == [])
    #expect(patient.take(.heartRate(132), at: 303, received: 2.999).names == [])
    #expect(patient.take(.heartRate(132), at: 303, received: 3).names == ["confirmed"])
  }

  @Test("a device whose clock is ahead hides no reading of a correct one", .tags(.SOS_3))
  func twoClocks() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 120, received: 0)
    #expect(patient.take(.heartRate(130), at: 1).names == ["suspected"])
  }
}
