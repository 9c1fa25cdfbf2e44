import AutomatedSOS
import Requirements
import Testing

@Suite("Silence and pauses")
struct SilenceTests {
  @Test("ten minutes without a reading are reported once", .tags(.SOS_9))
  func silence() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 100)
    #expect(patient.detector.nextDeadline == Patient.moment(700))
    #expect(patient.advance(to: 699.999) == [])
    #expect(patient.advance(to: 700) == [.silent(since: Patient.moment(100))])
    #expect(patient.detector.nextDeadline == nil)
    #expect(patient.advance(to: 100_000) == [])
  }

  @Test("monitoring without any reading from the start is silent", .tags(.SOS_9))
  func neverHeard() throws {
    var patient = try Patient()
    #expect(patient.timeline(until: 10_000) == ["600.0 silent"])
  }

  @Test("a reading ends the silence, and the next one is reported again", .tags(.SOS_9))
  func again() throws {
    var patient = try Patient()
    #expect(patient.advance(to: 600).map(\.name) == ["silent"])
    #expect(patient.take(.heartRate(80), at: 1000).names == [])
    #expect(patient.timeline(until: 10_000) == ["1600.0 silent"])
  }

  @Test("readings from before the silence do not end it", .tags(.SOS_9))
  func backlog() throws {
    var patient = try Patient()
    #expect(patient.advance(to: 5000).map(\.name) == ["silent"])
    for second in stride(from: 0.0, through: 4400, by: 20) {
      let rate = 80 + second.truncatingRemainder(dividingBy: 7)
      #expect(patient.take(.heartRate(rate), at: second, received: 5000).names == [])
    }
    #expect(patient.timeline(until: 10_000) == [])
    patient.take(.heartRate(79), at: 4401, received: 5000)
    #expect(patient.timeline(until: 10_000) == ["5001.0 silent"])
  }

  @Test("readings that arrive four minutes late are not silence", .tags(.SOS_9))
  func batches() throws {
    var patient = try Patient()
    for minute in stride(from: 4.0, through: 60, by: 4) {
      for half in 0..<8 {
        let time = (minute - 4) * 60 + Double(half) * 30
        let judgement = patient.take(
          .heartRate(70 + Double(half)), at: time, received: minute * 60)
        #expect(judgement.names == [])
      }
    }
  }

  @Test("sensor faults and late readings count as silence: nothing can be judged", .tags(.SOS_9))
  func faults() throws {
    var patient = try Patient()
    patient.take(.heartRate(80), at: 0)
    for second in 1...599 {
      patient.take(.heartRate(300), at: Double(second))
      patient.take(.heartRate(81), at: -1, received: Double(second))
      patient.take(.speed(0), at: Double(second))
    }
    #expect(patient.advance(to: 600) == [.silent(since: Patient.moment(0))])
  }

  @Test("a sensor that is stuck for ten minutes is silent", .tags(.SOS_9))
  func stuck() throws {
    var patient = try Patient()
    var names: [String] = []
    for second in 1...700 { names += patient.take(.heartRate(80), at: Double(second)).names }
    #expect(names == ["silent"])
  }

  @Test("while monitoring is paused nothing is judged and no silence reported", .tags(.SOS_9))
  func pause() throws {
    var patient = try Patient()
    patient.detector.pause(until: Patient.moment(5000))
    #expect(patient.take(.heartRate(130), at: 1).verdict == .ignored(.paused))
    #expect(patient.take(.fall, at: 4999).verdict == .ignored(.paused))
    #expect(patient.take(.heartRate(130), at: 4999.999, received: 5001).names == [])
    #expect(patient.take(.heartRate(131), at: 5000, received: 5001).names == ["suspected"])
    var quiet = try Patient()
    quiet.detector.pause(until: Patient.moment(5000))
    #expect(quiet.timeline(until: 10_000) == ["5600.0 silent"])
  }

  @Test("a pause can be ended early", .tags(.SOS_9))
  func resume() throws {
    var patient = try Patient()
    patient.detector.pause(until: Patient.moment(5000))
    #expect(patient.take(.fall, at: 10).names == [])
    patient.detector.pause(until: Patient.moment(20))
    #expect(patient.take(.fall, at: 20).names == ["suspected", "asked"])
  }

  @Test("a pause does not end an emergency in progress", .tags(.SOS_9))
  func pausedInside() throws {
    var patient = try Patient()
    let emergency = try patient.suspected(by: .heartRate(130), at: 0)
    patient.detector.pause(until: Patient.moment(5000))
    #expect(patient.take(.heartRate(80), at: 2).verdict == .ignored(.paused))
    #expect(patient.advance(to: 30).map(\.name) == ["asked"])
    #expect(patient.detector.abort(emergency, at: Patient.moment(31)) == [.aborted(emergency)])
  }
}
