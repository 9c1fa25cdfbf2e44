import AutomatedSOS
import Requirements
import Testing

@Suite("Rest and exercise")
struct ExerciseTests {
  @Test("for two minutes after a sample of exercise the bound is 220 less the age", .tags(.SOS_1))
  func afterSample() throws {
    var patient = try Patient(months: 40 * 12 + 11)
    #expect(patient.take(.exercise, at: 0).verdict == .context)
    #expect(patient.take(.heartRate(180), at: 1).verdict == .normal)
    #expect(patient.take(.heartRate(180.5), at: 2).names == ["suspected"])
    #expect(patient.take(.heartRate(180), at: 120).names == ["asked", "withdrawn"])
    #expect(patient.take(.heartRate(180), at: 120.001).names == ["suspected"])
  }

  @Test(
    "running and brisk walking indicate exercise, standing and driving do not", .tags(.SOS_1),
    arguments: [(1.33, false), (1.34, true), (3, true), (12.5, true), (12.51, false), (30, false)])
  func speeds(speed: Double, isExercise: Bool) throws {
    var patient = try Patient()
    patient.take(.speed(speed), at: 0)
    #expect((patient.take(.heartRate(150), at: 1).verdict == .normal) == isExercise)
  }

  @Test("during a run the bound holds until its end", .tags(.SOS_1))
  func run() throws {
    var patient = try Patient()
    patient.detector.exercise(until: Patient.moment(3600))
    patient.take(.exercise, at: 10)
    #expect(patient.take(.heartRate(150), at: 3600).verdict == .normal)
    patient.detector.exercise(until: Patient.moment(3601))
    #expect(patient.take(.heartRate(150), at: 3602).verdict == .critical)
  }

  @Test("the low bound holds in exercise too, and blood pressure", .tags(.SOS_1))
  func otherRules() throws {
    var patient = try Patient()
    patient.take(.exercise, at: 0)
    #expect(try patient.suspected(by: .heartRate(44), at: 1).rule == .heartRateLow)
    #expect(try patient.suspected(by: .systolicPressure(171), at: 1).rule == .bloodPressureHigh)
  }

  @Test("exercise never makes the bound stricter than rest", .tags(.SOS_1))
  func neverStricter() throws {
    var old = try Patient(months: 110 * 12)
    old.take(.exercise, at: 0)
    #expect(old.take(.heartRate(115), at: 1).verdict == .normal)
    var own = try Patient(months: 60 * 12, personal: PersonalThresholds(heartRateHigh: 175))
    own.take(.exercise, at: 0)
    #expect(own.take(.heartRate(175), at: 1).verdict == .normal)
    #expect(own.take(.heartRate(176), at: 2).verdict == .critical)
  }

  @Test("a child's bound in exercise is 220 less whole years", .tags(.SOS_1))
  func child() throws {
    var patient = try Patient(months: 10 * 12 + 6)
    patient.take(.exercise, at: 0)
    #expect(patient.take(.heartRate(210), at: 1).verdict == .normal)
    #expect(patient.take(.heartRate(210.5), at: 2).verdict == .critical)
  }

  @Test("an old sample of exercise does not apply now", .tags(.SOS_1))
  func oldSample() throws {
    var patient = try Patient()
    patient.take(.exercise, at: 0, received: 200)
    #expect(patient.take(.heartRate(150), at: 200).verdict == .critical)
  }
}
