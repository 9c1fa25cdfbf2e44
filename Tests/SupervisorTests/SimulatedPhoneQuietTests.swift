import AutomatedSOS
import Domain
import JSON
import Requirements
import Testing
import Time
import trackme_lab

@Suite("A simulated phone whose readings raise no new emergency")
struct SimulatedPhoneQuietTests {
  @Test(
    "for readings of an ended emergency the phone only shows until when no call is made",
    .tags(.SOS_7),
    arguments: [
      ("aborted", "is quiet after your abort"),
      ("false alarm", "is quiet after the false alarm that you reported"),
      ("closed", "is quiet after a hospital closed your emergency"),
      ("unanswered", "is quiet after an unanswered emergency"),
    ])
  func quiet(stage: String, words: String) throws {
    var trial = PhoneTrial(.tachycardia) { ($0.sampleEvery, $0.abortAfter) = (1000, 2000) }
    let text = """
      {"episodeID":"earlier","stage":"\(stage)","quietUntil":"2026-09-21T14:21:20.500Z"}
      """
    trial.answer = .raised(try JSONReader.read(PhoneAlarm.self, from: Array(text.utf8)))
    trial.run(until: 60_000)
    #expect(trial.raised.map(\.0) == [10_000])
    #expect(!trial.phone.isAlerted && trial.aborted.isEmpty)
    let alarming = trial.lines.filter { !$0.hasPrefix("sent") }
    #expect(
      alarming == [
        "WARNING, heartRateHigh: press Enter to abort",
        "TrackMe \(words) until 14:21 UTC: no call is made. If you need help call 112.",
      ])
    trial.perform(trial.phone.abort(at: trial.now))
    #expect(trial.aborted.isEmpty && trial.lines.last == "there is nothing to abort")
  }

  @Test("after the quiet period the phone warns and raises the alert again", .tags(.SOS_7, .SOS_10))
  func quietOver() {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    let counted = trial.answer
    trial.answer = .raised(
      PhoneAlarm(
        stage: "aborted", emergencyID: "earlier", rule: "",
        quietUntil: trial.start.adding(milliseconds: 20_000)))
    trial.run(until: 19_900)
    #expect(trial.raised.count == 1)
    trial.answer = counted
    trial.run(until: 30_000)
    #expect(trial.raised.count == 2)
    #expect(trial.raised.last.map { (20_000...21_000).contains($0.0) } == true)
    #expect(trial.lines.contains("help is called"))
  }

  @Test(
    "for readings of an acknowledged emergency the phone shows no countdown",
    .tags(.SOS_7),
    arguments: [
      ("dispatched", "TrackMe is already calling help for this emergency."),
      ("acknowledged", "A hospital or the emergency number is already handling this emergency."),
    ])
  func taken(stage: String, words: String) {
    var trial = PhoneTrial(.tachycardia) { ($0.sampleEvery, $0.abortAfter) = (1000, 2000) }
    trial.answer = .raised(PhoneAlarm(stage: stage, emergencyID: "earlier", rule: ""))
    trial.run(until: 60_000)
    #expect(trial.raised.count == 1 && trial.aborted.isEmpty && !trial.phone.isAlerted)
    #expect(trial.lines.contains("\(words) If it gets worse call 112."))
    #expect(!trial.lines.contains { $0.hasSuffix("s to abort") || $0.hasPrefix("confirmed") })
  }

  @Test(
    "after an unknown answer or a refusal the phone claims no call and shows 112",
    .tags(.SOS_10),
    arguments: [
      SimulatedPhone.AlertAnswer.raised(PhoneAlarm(stage: "", emergencyID: nil, rule: "")),
      .raised(PhoneAlarm(stage: "new", emergencyID: "an emergency", rule: "")),
      .refused("AutomatedSOS is switched off: enable it first."),
    ])
  func notUnderstood(answer: SimulatedPhone.AlertAnswer) {
    var trial = PhoneTrial(.tachycardia) { $0.sampleEvery = 1000 }
    trial.answer = answer
    trial.run(until: 15_100)
    if case .raised = answer {
      #expect(
        trial.lines.contains(
          "TrackMe's answer is not understood. If you need help call 112."))
    }
    #expect(trial.raised.count == 1)
    #expect(!trial.lines.contains { $0.contains("help is called") })
    #expect(
      trial.lines.last { !$0.hasPrefix("sent") }
        == "help is needed and TrackMe has not confirmed a call: call 112")
  }

  @Test(
    "an abort made while the alert was in transit is not sent for an emergency that is over",
    .tags(.SOS_4))
  func abortedMeanwhile() {
    var trial = PhoneTrial(.tachycardia) {
      $0.sampleEvery = 1000
      $0.abortAfter = 1000
    }
    trial.isOffline = true
    trial.run(until: 12_000)
    trial.isOffline = false
    let over = PhoneAlarm(stage: "aborted", emergencyID: "earlier", rule: "")
    trial.perform(trial.phone.alertWasAnswered(.heartRateHigh, .raised(over), at: trial.now))
    #expect(trial.aborted.isEmpty)
    #expect(
      trial.lines.contains(
        "TrackMe is quiet after your abort: no call is made. If you need help call 112."))
  }
}
