import Data4HelpFixture
import Domain
import Emergencies
import Foundation
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Telephony
import Testing

@Suite("Calls for help")
struct HospitalCallTests {
  @Test("a hospital with coordinates off the globe is refused", .tags(.SOS_5))
  func offTheGlobe() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "-90,180")
      for (column, place) in [
        ("latitude_e7", 900_000_001), ("latitude_e7", -900_000_001),
        ("longitude_e7", 1_800_000_001), ("longitude_e7", -1_800_000_001),
      ] {
        let move = "UPDATE data4help.hospitals SET \(column) = \(place)"
        #expect(throws: (any Error).self, "\(move)") { try stage.run(move) }
      }
    }
  }

  @Test(
    "the nearest hospital is called, thirty seconds later the next one, then the voice",
    .tags(.SOS_5, .SOS_8))
  func order() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "41.9,12.5")
      try await stage.hospital(Known.studio, at: "45.07,7.68")
      try await stage.measure("45.4642,9.19", "position")
      let emergency = try await stage.calledEmergency()
      let first = try await stage.notified(hospital: Known.studio)
      #expect(try await stage.notified(hospital: Known.clinic).isEmpty)
      let message = try #require(first.first?["data"] as? [String: Any])
      #expect(message["episodeID"] as? String == emergency)
      #expect(message["rule"] as? String == "heartRateHigh")
      #expect((message["person"] as? [String: Any])?["full_name"] as? String == "A")
      #expect((message["position"] as? [String: Any])?["coordinate"] as? String == "45.4642,9.19")
      #expect((message["position"] as? [String: Any])?["stale"] as? Bool == false)
      let values = (message["readings"] as? [[String: Any]])?.compactMap { $0["value"] as? String }
      #expect(values == ["131", "132"])
      #expect(!"\(message)".contains(Known.marioCode))
      stage.clock.advance(milliseconds: 29_999)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(milliseconds: 1)
      try await stage.turn()
      #expect(try await stage.notified(hospital: Known.clinic).count == 1)
      #expect(stage.voice.calls.isEmpty)
      for count in 1...2 {
        stage.clock.advance(seconds: 30)
        try await stage.turn()
        #expect(try await stage.voiceCalls(count) == count)
      }
      let spoken = try #require(stage.voice.calls.first?.text)
      #expect(spoken.contains("45 virgola 46 42") && !spoken.contains(Known.marioCode))
      let calls = try await stage.emergencies()[0]["calls"] as? [[String: Any]]
      let hospitals = calls?.filter { $0["contact"] == nil }.map { $0["hospital"] as? String }
      #expect(hospitals == ["Studio", "Clinic", nil, nil])
      // The person is told of each called hospital, but not of repetitions.
      let stages = try await stage.stages(5)
      #expect(stages.count { $0 == "dispatched" } == 3)
    }
  }

  @Test(
    "a hospital that another replica has called after the candidates were read is left out",
    .tags(.SOS_5))
  func calledMeanwhile() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "41.9,12.5")
      try await stage.hospital(Known.studio, at: "45.07,7.68")
      try await stage.measure("45.4642,9.19", "position")
      _ = try await stage.confirmedEmergency()
      stage.clock.advance(seconds: 2)
      // The candidates are read before their accounts are locked.
      let other = try stage.installation.data.session()
      try other.run(
        "BEGIN; SELECT FROM data4help.accounts WHERE account_id = \(Known.clinic) FOR UPDATE")
      async let moved = stage.turn()
      try await stage.untilLockIsAwaited()
      try other.run(
        """
        INSERT INTO data4help.emergency_calls
          (emergency_id, number, hospital_id, is_voice, called_at)
        SELECT emergency_id, 1, \(Known.studio), false, '2024-01-15T10:00:00Z'
          FROM data4help.emergencies;
        COMMIT
        """)
      #expect(try await moved == 1)
      #expect(try await stage.notified(hospital: Known.clinic).count == 1)
      #expect(try await stage.notified(hospital: Known.studio).isEmpty)
      let calls = SingleRequestStage.calls(in: try await stage.emergencies()[0])
      #expect(calls.map { $0["hospital"] as? String } == ["Studio", "Clinic"])
    }
  }

  @Test("with no hospital on duty the emergency number is called at once", .tags(.SOS_5))
  func noHospitalOnDuty() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "1")
    }
  }

  @Test("voice calls continue for a day, at growing intervals", .tags(.SOS_5))
  func forADay() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEmergency()
      for _ in 0..<19 {
        stage.clock.advance(seconds: 30)
        #expect(try await stage.turn() == 1)
      }
      stage.clock.advance(seconds: 30)
      #expect(try await stage.turn() == 1)
      stage.clock.advance(seconds: 299)
      #expect(try await stage.turn() == 0)
      stage.clock.advance(seconds: 1)
      #expect(try await stage.turn() == 1)
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.turn() == 1)
      #expect(try await stage.emergencies()[0]["stage"] as? String == "unanswered")
      #expect(
        try await stage.stages(4) == ["suspected", "confirmed", "dispatched", "unanswered"])
    }
  }

  @Test("a third party that was not approved receives nothing, nor one off duty", .tags(.SOS_12))
  func notApproved() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19", approved: false)
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      #expect(
        try await stage.call(.chooseDuty, "{\"onDuty\":false}", by: Known.studio, .thirdParty)
          .status == 200)
      #expect(try await stage.call(.emergencyCalls, by: Known.clinic, .thirdParty).status == 403)
      for (company, isApproved) in [(Known.clinic, false), (Known.studio, true)] {
        let account = try await stage.call(.me, by: company, .thirdParty)
        #expect(account.object["hospital"] as? Bool == isApproved)
      }
      let emergency = try await stage.calledEmergency()
      for company in [Known.clinic, Known.studio] {
        #expect(try await stage.notified(hospital: company).isEmpty)
      }
      #expect(
        try await stage.act(.acknowledgeCall, emergency, by: Known.clinic, .thirdParty) == 403)
      #expect(
        try await stage.act(.acknowledgeCall, emergency, by: Known.studio, .thirdParty) == 404)
    }
  }

  @Test(
    "a hospital without approval no longer reads calls, only their end",
    .tags(.SOS_12))
  func revoked() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      let emergency = try await stage.calledEmergency()
      #expect(try await stage.notified(hospital: Known.studio).count == 1)
      try stage.run("UPDATE data4help.hospitals SET approved_at = NULL")
      #expect(try await stage.notified(hospital: Known.studio).isEmpty)
      #expect(
        try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser) == 200)
      let notified = try await stage.notified(hospital: Known.studio)
      #expect(notified.map { $0["type"] as? String } == ["sos.closed"])
      let stream = try await stage.open(
        .thirdPartyStream, by: Known.studio, .thirdParty, after: 0)
      #expect(try await stream.events(1).map(\.name) == ["sos.closed"])
      stream.close()
      try stage.run("UPDATE data4help.hospitals SET approved_at = now()")
      #expect(try await stage.notified(hospital: Known.studio).count == 2)
    }
  }

  @Test(
    "one of two acknowledging hospitals has the emergency, closes it, and all are notified",
    .tags(.SOS_5, .SOS_6, .SOS_8))
  func acknowledged() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      let emergency = try await stage.calledEmergency()
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      async let one = stage.act(.acknowledgeCall, emergency, by: Known.clinic, .thirdParty)
      async let two = stage.act(.acknowledgeCall, emergency, by: Known.studio, .thirdParty)
      let statuses = try await [one, two]
      #expect(statuses.sorted() == [200, 409])
      let winner = statuses[0] == 200 ? Known.clinic : Known.studio
      let other = winner == Known.clinic ? Known.studio : Known.clinic
      #expect(try await stage.act(.acknowledgeCall, emergency, by: winner, .thirdParty) == 200)
      let ended = try await stage.notified(hospital: other).last
      #expect(ended?["type"] as? String == "sos.closed")
      #expect(
        (ended?["data"] as? [String: Any])?["reason"] as? String == "another hospital has it")
      stage.clock.advance(seconds: 60)
      #expect(try await stage.turn() == 0)
      let outcome = ",\"outcome\":\"helped\""
      #expect(try await stage.act(.closeCall, emergency, by: other, .thirdParty, outcome) == 409)
      #expect(try await stage.act(.closeCall, emergency, by: winner, .thirdParty, outcome) == 200)
      let history = try await stage.emergencies()[0]
      #expect(history["stage"] as? String == "closed")
      #expect(history["outcome"] as? String == "helped")
      #expect(
        try await stage.stages(6)
          == ["suspected", "confirmed", "dispatched", "dispatched", "acknowledged", "closed"])
      let calls = try await stage.call(.emergencyCalls, by: winner, .thirdParty).list("calls")
      #expect(calls.first?["stage"] as? String == "closed")
      // One mail to each hospital and to Anna at the call, and one to all three at the end.
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "6")
    }
  }

  @Test(
    "a hospital that was called in vain learns that the emergency number has the emergency",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func heardAtNumber() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.studio, at: "45.46,9.19")
      stage.voice.manner = .heard
      let emergency = try await stage.calledEmergency()
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(
        try await stage.stages(5)
          == ["suspected", "confirmed", "dispatched", "dispatched", "acknowledged"])
      let ended = try await stage.notified(hospital: Known.studio).last
      #expect(ended?["type"] as? String == "sos.closed")
      #expect(
        (ended?["data"] as? [String: Any])?["reason"] as? String == "the emergency number has it")
      #expect(
        try await stage.act(.acknowledgeCall, emergency, by: Known.studio, .thirdParty) == 409)
    }
  }

  @Test("a false alarm after the call is reported to all who were called", .tags(.SOS_4))
  func falseAlarm() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      let confirmed = try await stage.confirmedEmergency()
      let early = try await stage.act(.reportFalseAlarm, confirmed, by: Known.mario, .singleUser)
      #expect(early == 409)
      stage.clock.advance(seconds: 2)
      try await stage.turn()
      let strange = try await stage.act(.reportFalseAlarm, confirmed, by: Known.laura, .singleUser)
      #expect(strange == 404)
      let reported = try await stage.act(
        .reportFalseAlarm, confirmed, by: Known.mario, .singleUser)
      #expect(reported == 200)
      try await stage.follow()
      let notified = try await stage.notified(hospital: Known.clinic)
      #expect(notified.compactMap { $0["type"] as? String } == ["sos.called", "sos.closed"])
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "4")
      stage.clock.advance(seconds: 60)
      #expect(try await stage.turn() == 0)
      // The rule is quiet for ten minutes, then raises another emergency.
      try await stage.measure("150")
      stage.clock.advance(seconds: 541)
      try await stage.measure("151")
      #expect(
        try await stage.stages(5)
          == ["suspected", "confirmed", "dispatched", "false alarm", "suspected"])
    }
  }

  @Test("a call says that the position is missing, or too old", .tags(.SOS_9))
  func position() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      _ = try await stage.calledEmergency()
      let first = try #require(try await stage.notified(hospital: Known.clinic).first)
      #expect((first["data"] as? [String: Any])?["position"] is NSNull)
      stage.clock.advance(seconds: 5)
      try await stage.measure("45,9", "position")
      stage.clock.advance(seconds: 301)
      try await stage.measure("1", "fall")
      #expect(try await stage.stages(4).last == "asked")
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      stage.clock.advance(seconds: 5)
      try await stage.turn()
      let notified = try await stage.notified(hospital: Known.clinic)
      let fall = try #require(
        notified.compactMap { $0["data"] as? [String: Any] }
          .last { $0["rule"] as? String == "fall" })
      #expect((fall["position"] as? [String: Any])?["stale"] as? Bool == true)
    }
  }

  @Test("a drill is marked as one and places no call")
  func drill() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      #expect(try await stage.call(.beginDrill, by: Known.laura, .singleUser).status == 409)
      #expect(try await stage.call(.beginDrill, by: Known.mario, .singleUser).status == 200)
      #expect(try await stage.call(.beginDrill, by: Known.mario, .singleUser).status == 409)
      stage.clock.advance(seconds: 5)
      try await stage.turn()
      #expect(try await stage.stages(2) == ["suspected", "drill over"])
      #expect(try await stage.notified(hospital: Known.clinic).isEmpty)
      #expect(stage.voice.calls.isEmpty)
      #expect(try await stage.emergencies()[0]["drill"] as? Bool == true)
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "0")
    }
  }
}

extension SingleRequestStage {
  /// Waits for `count` voice calls; returns the number of calls.
  func voiceCalls(_ count: Int) async throws -> Int {
    try await eventually("\(count) voice calls", within: .seconds(120), every: .milliseconds(5)) {
      voice.calls.count >= count
    }
    return voice.calls.count
  }
}
