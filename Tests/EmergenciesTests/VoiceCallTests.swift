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
import Time

@Suite("Voice calls and their outcomes")
struct VoiceCallTests {
  @Test(
    "the message has place and age, no name and no fiscal code, and takes at most fifteen seconds",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func message() async throws {
    let expected = [
      "it": """
      Emergenza sanitaria, messaggio automatico. Persona di AGE anni, frequenza cardiaca troppo \
      alta. Vicino a San Valentino in Abruzzo Citeriore. Latitudine 42 virgola 22 84, longitudine \
      13 virgola 98 22.
      """,
      "en": """
      Medical emergency, automatic message. A person of AGE years, heart rate too high. Near San \
      Valentino in Abruzzo Citeriore. Latitude 42 point 22 84, longitude 13 point 98 22.
      """,
    ]
    for (language, sentence) in expected {
      try await SingleRequestStage.with { stage in
        try await stage.populate()
        let body = "{\"callPermission\":true,\"language\":\"\(language)\"}"
        let reply = try await stage.call(.enableSOS, body, by: Known.mario, .singleUser)
        #expect(reply.status == 200)
        try await stage.follow()
        try await stage.measure("42.2284,13.9822", "position")
        _ = try await stage.calledEmergency()
        #expect(try await stage.voiceCalls(1) == 1)
        let call = try #require(stage.voice.calls.first)
        let spoken = call.sentence.replacing(/\d+ (anni|years)/) { "AGE \($0.1)" }
        #expect(spoken == sentence)
        #expect(call.text == "\(call.sentence)\n\(call.sentence)\n\(call.sentence)")
        #expect(!call.text.contains(Known.marioCode))
        #expect(call.ringsFor == .seconds(27))
        let sound = try Speech().sound(of: call.sentence, in: call.language)
        #expect(sound.duration <= .seconds(15), "\(sound.duration)")
        #expect(sound.duration > .seconds(8), "\(sound.duration)")
      }
    }
  }

  @Test("an old or missing position is stated as such", .tags(.SOS_5, .SOS_9))
  func position() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      #expect(stage.voice.calls[0].sentence.hasSuffix("Posizione non nota."))
      try await stage.measure("-33.05,151.00049", "position")
      stage.clock.advance(seconds: 600)
      try await stage.turn()
      #expect(try await stage.voiceCalls(2) == 2)
      #expect(
        stage.voice.calls[1].sentence.hasSuffix(
          "Latitudine meno 33 virgola 0 5 0 0, longitudine 151 virgola 0 0 0 5, 10 minuti fa."))
    }
  }

  @Test("a heard call acknowledges the emergency, and the person is notified", .tags(.SOS_5))
  func heard() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .heard
      _ = try await stage.calledEmergency()
      #expect(
        try await stage.stages(4) == ["suspected", "confirmed", "dispatched", "acknowledged"])
      let emergency = try await stage.emergencies()[0]
      #expect(emergency["stage"] as? String == "acknowledged")
      let call = (emergency["calls"] as? [[String: Any]])?.first
      #expect(call?["voice"] as? Bool == true && call?["acknowledgedAt"] is String)
      stage.clock.advance(seconds: 3600)
      #expect(try await stage.turn() == 0)
    }
  }

  @Test(
    "during a heard call no other is placed; a callee who hangs up early is called again",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func listening() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .listening
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.waitUntilDue(after: 31)
      stage.clock.advance(seconds: 31)
      #expect(try await stage.turn() == 0)
      stage.voice.manner = .hungUp
      try await stage.waitUntilDue(before: 1)
      #expect(try await stage.turn() == 1)
      #expect(try await stage.voiceCalls(2) == 2)
      #expect(try await stage.emergencies()[0]["stage"] as? String == "dispatched")
    }
  }

  @Test(
    "the late outcome of a call does not affect when the call after the next is due",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func lateOutcome() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .listening
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.waitUntilDue(after: 31)
      // It counts as over, and the next call is placed by another replica, where it is heard too.
      try await SingleRequestStage.replica(of: stage.installation) { other in
        stage.clock.advance(seconds: 60)
        other.clock.advance(seconds: 66)
        other.voice.manner = .listening
        #expect(try await other.turn() == 1)
        #expect(try await other.voiceCalls(1) == 1)
        #expect(other.voice.calls.first?.number == 2)
        try await other.waitUntilDue(after: 31)
        let due = try other.cell("SELECT due_at FROM data4help.emergencies")
        try await other.untilTransactionEnds { stage.voice.hangUp(1) }
        #expect(try other.cell("SELECT due_at FROM data4help.emergencies") == due)
        other.voice.hangUp(2)
        try await other.waitUntilDue(before: 31)
        #expect(
          try other.cell(
            """
            SELECT extract(epoch FROM emergency.due_at - call.called_at)::int4
              FROM data4help.emergencies AS emergency
              JOIN data4help.emergency_calls AS call USING (emergency_id)
             WHERE call.number = 2
            """) == "30")
      }
    }
  }

  @Test(
    "a ringing call is hung up once its emergency ends, whichever process ended it",
    .tags(.SOS_4, .SOS_5))
  func withdrawn() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .ringing
      let emergency = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.follow()
      #expect(try await stage.emergencies()[0].call?["withdrawnAt"] == nil)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        other.clock.advance(seconds: 6)
        let status = try await other.act(
          .reportFalseAlarm, emergency, by: Known.mario, .singleUser)
        #expect(status == 200)
      }
      // It still rings here, until this replica reads the change.
      try await stage.follow()
      try await eventually("the withdrawn call", within: .seconds(120)) {
        try await stage.emergencies()[0].call?["withdrawnAt"] is String
      }
      let ended = try await stage.emergencies()[0]
      #expect(ended["stage"] as? String == "false alarm")
      #expect(ended.call?["acknowledgedAt"] == nil)
      stage.clock.advance(seconds: 3600)
      #expect(try await stage.turn() == 0)
    }
  }

  @Test(
    "a hospital that acknowledges while the number rings ends that call",
    .tags(.SOS_5))
  func takenOnWhileRinging() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      stage.voice.manner = .ringing
      let emergency = try await stage.calledEmergency()
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(try await stage.voiceCalls(1) == 1)
      let status = try await stage.act(
        .acknowledgeCall, emergency, by: Known.clinic, .thirdParty)
      #expect(status == 200)
      try await stage.follow()
      try await eventually("the withdrawn call", within: .seconds(120)) {
        let calls = try await stage.emergencies()[0]["calls"] as? [[String: Any]]
        return calls?.last?["withdrawnAt"] is String
      }
      #expect(try await stage.emergencies()[0]["stage"] as? String == "acknowledged")
    }
  }

  @Test(
    "calls for one person are placed one after the other, those for others concurrently",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func turns() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.enable(Known.laura)
      stage.voice.manner = .ringing
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      _ = try await stage.raise("fall", by: Known.mario)
      let shaking = try await stage.raise("shaking", by: Known.mario)
      _ = try await stage.raise("fall", by: Known.laura)
      for seconds in [30, 5] {
        stage.clock.advance(seconds: Int64(seconds))
        try await stage.turn()
      }
      #expect(try await stage.voiceCalls(2) == 2)
      #expect(stage.calledRules() == ["frequenza cardiaca troppo alta", "caduta"])
      // The waiting emergency is not called yet, and can be aborted.
      let stages = try await stage.emergencies().map { $0["stage"] as? String }
      #expect(stages.count { $0 == "confirmed" } == 2)
      stage.clock.advance(seconds: 1)
      try await stage.turn()
      #expect(try await stage.act(.abortEmergency, shaking, by: Known.mario, .singleUser) == 200)
      #expect(stage.voice.calls.count == 2)
      stage.voice.manner = .silent
      // Laura's call may be repeated in the meantime.
      try await eventually("both calls about a fall", within: .seconds(120)) {
        stage.clock.advance(seconds: 1)
        try await stage.turn()
        let fall = try await stage.emergencies().first { $0["rule"] as? String == "fall" }
        return fall?["stage"] as? String == "dispatched"
          && stage.calledRules().count { $0 == "caduta" } >= 2
      }
      #expect(!stage.calledRules().contains("tremore"))
    }
  }

  @Test(
    "a call of a killed process is placed by another one, when it is due",
    .tags(.SOS_5, .NFR_4))
  func killed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEmergency()
      #expect(try await stage.voiceCalls(1) == 1)
      // Its clock catches up with the first one's (5 s) and reaches the due time (30 s). The first
      // replica does nothing afterwards.
      try await SingleRequestStage.replica(of: stage.installation) { other in
        other.clock.advance(seconds: 5 + 30)
        let moved = try await other.turn()
        let placed = try await other.voiceCalls(1)
        #expect((moved, placed) == (1, 1))
        let call = try #require(other.voice.calls.first)
        #expect(call.number == 2)
      }
    }
  }
}

extension [String: Any] {
  /// The first call of an emergency.
  fileprivate var call: [String: Any]? { (self["calls"] as? [[String: Any]])?.first }
}

extension SingleRequestStage {
  /// Raises an alert of a device about a single event; returns its emergency.
  fileprivate func raise(_ rule: String, by account: AccountID) async throws -> String {
    let alert = """
      {"rule":"\(rule)","readings":[{"dataType":"\(rule)","value":"1",\
      "timestamp":"\(clock.now)"}]}
      """
    let raised = try await call(.raiseAlert, alert, by: account, .singleUser)
    #expect(raised.status == 200)
    return try #require(raised["episodeID"])
  }

  /// The rules named in the calls to the emergency number, in their order.
  fileprivate func calledRules() -> [String] {
    voice.calls.compactMap { call in
      call.sentence.firstMatch(of: /anni, ([^.]*)\./).map { String($0.1) }
    }
  }

  /// Waits until a transaction on an emergency that `action` causes has ended.
  fileprivate func untilTransactionEnds(_ action: () -> Void) async throws {
    let holder = try installation.data.session()
    try holder.run("BEGIN; LOCK TABLE data4help.emergencies IN EXCLUSIVE MODE")
    action()
    try await untilLockIsAwaited()
    try holder.run("COMMIT")
    try await eventually("the end of the transaction", within: .seconds(120)) {
      try cell(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'
        """) == "0"
    }
  }

  /// Waits until Mario's emergency is due after or before some seconds from now.
  func waitUntilDue(after: Int64? = nil, before: Int64? = nil) async throws {
    let now = clock.now.secondsSince1970
    try await eventually("the time of the next stage", within: .seconds(120)) {
      let text = try cell(
        "SELECT ceil(extract(epoch FROM due_at))::int8 FROM data4help.emergencies")
      guard let due = text.flatMap(Int64.init) else { return false }
      return after.map { due - now > $0 } ?? true && before.map { due - now < $0 } ?? true
    }
  }
}
