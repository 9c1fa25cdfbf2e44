import AutomatedSOS
import Requirements
import Testing

@Suite("Emergencies continued by another detector")
struct ResumeTests {
  private let racing = Measurement.heartRate(130)
  private let emergency = Emergency(
    rule: .heartRateHigh, firstCritical: Patient.moment(0), suspectedAt: Patient.moment(0.2),
    abortUntil: Patient.moment(5.2))

  /// A detector that was started later and restored the emergency from storage.
  private func patient(
    _ stage: EmergencyStage, dueAt: Double? = nil, quietUntil: Double? = nil
  ) throws -> Patient {
    var patient = try Patient()
    patient.detector.resume(emergency, Self.life(stage, dueAt: dueAt, quietUntil: quietUntil))
    return patient
  }

  private static func life(
    _ stage: EmergencyStage, dueAt: Double? = nil, quietUntil: Double? = nil
  ) -> EmergencyLife {
    EmergencyLife(
      stage, dueAt: dueAt.map(Patient.moment), quietUntil: quietUntil.map(Patient.moment))
  }

  @Test("a suspected emergency is confirmed by the following readings", .tags(.SOS_7, .SOS_3))
  func confirmed() throws {
    var patient = try patient(.suspected, dueAt: 30.2)
    #expect(patient.take(racing, at: 2.9).names == [])
    #expect(patient.take(racing, at: 3).decisions == [.confirmed(emergency)])
    #expect(patient.timeline(until: 20) == ["5.2 dispatched"])
  }

  @Test(
    "a suspected emergency is withdrawn by a reading in bounds, or the person is asked",
    .tags(.SOS_3))
  func withdrawn() throws {
    var patient = try patient(.suspected, dueAt: 30.2)
    var silent = patient
    #expect(patient.take(.heartRate(80), at: 2).decisions == [.withdrawn(emergency)])
    #expect(
      silent.timeline(until: 40) == ["30.2 asked", "35.2 confirmed", "35.2 dispatched"])
  }

  @Test("asked, confirmed and dispatched emergencies end at their planned times", .tags(.SOS_7))
  func later() throws {
    var asked = try patient(.asked, dueAt: 33)
    #expect(asked.timeline(until: 40) == ["33.0 confirmed", "33.0 dispatched"])
    var confirmed = try patient(.confirmed, dueAt: 6)
    #expect(confirmed.timeline(until: 40) == ["6.0 dispatched"])
    for stage in [
      EmergencyStage.dispatched, .acknowledged, .closed, .aborted, .falseAlarm, .unanswered,
    ] {
      // The detector does not determine when the next call is due.
      let dueAt = stage == .dispatched ? 30.0 : nil
      var quiet = try patient(stage, dueAt: dueAt, quietUntil: 100)
      #expect(quiet.take(racing, at: 99).names == [])
      #expect(quiet.detector.emergency(of: .heartRateHigh) == emergency)
    }
    var over = try patient(.aborted, quietUntil: 100)
    #expect(over.take(racing, at: 101).names == ["suspected"])
  }

  @Test("a resumed emergency replaces that of its rule and no other", .tags(.SOS_7))
  func replaced() throws {
    var patient = try Patient()
    let own = try patient.suspected(by: racing, at: 1)
    let fall = try patient.suspected(by: .fall, at: 1)
    patient.detector.resume(emergency, Self.life(.suspected, dueAt: 30.2))
    #expect(patient.detector.emergency(of: .heartRateHigh) == emergency)
    #expect(patient.detector.emergency(of: .fall) == fall)
    #expect(patient.detector.abort(own, at: Patient.moment(2)) == [])
    #expect(patient.take(racing, at: 3).decisions == [.confirmed(emergency)])
    patient.detector.resume(emergency, Self.life(.withdrawn))
    #expect(patient.detector.emergency(of: .heartRateHigh) == nil)
    #expect(patient.take(racing, at: 4).names == ["suspected"])
  }
}
