import Data4Help
import Domain
import EventLoop
import Foundation
import PublicAPI
import Requirements
import Testing

@Suite("What is called by voice, and what becomes of it")
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
        _ = try await stage.calledEpisode()
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

  @Test("a position that is old or missing is told as that", .tags(.SOS_5, .SOS_9))
  func position() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEpisode()
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

  @Test("a call that is heard acknowledges the emergency, and the person is told", .tags(.SOS_5))
  func heard() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .heard
      _ = try await stage.calledEpisode()
      #expect(
        try await stage.stages(4) == ["suspected", "confirmed", "dispatched", "acknowledged"])
      let episode = try await stage.episodes()[0]
      #expect(episode["stage"] as? String == "acknowledged")
      let call = (episode["calls"] as? [[String: Any]])?.first
      #expect(call?["voice"] as? Bool == true && call?["acknowledgedAt"] is String)
      stage.clock.advance(seconds: 3600)
      #expect(try await stage.turn() == 0)
    }
  }

  @Test(
    "while somebody listens nobody else is called; who hangs up early is called again",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func listening() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .listening
      _ = try await stage.calledEpisode()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.waitUntilDue(after: 31)
      stage.clock.advance(seconds: 31)
      #expect(try await stage.turn() == 0)
      stage.voice.manner = .hungUp
      try await stage.waitUntilDue(before: 1)
      #expect(try await stage.turn() == 1)
      #expect(try await stage.voiceCalls(2) == 2)
      #expect(try await stage.episodes()[0]["stage"] as? String == "dispatched")
    }
  }

  @Test(
    "what comes of a call is stored late: it says nothing of when the one after the next is due",
    .tags(.SOS_5), .timeLimit(.minutes(10)))
  func lateOutcome() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .listening
      _ = try await stage.calledEpisode()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.waitUntilDue(after: 31)
      // It is taken for over, and the next one is placed elsewhere, where somebody listens too.
      try await SingleRequestStage.replica(of: stage.installation) { other in
        stage.clock.advance(seconds: 60)
        other.clock.advance(seconds: 66)
        other.voice.manner = .listening
        #expect(try await other.turn() == 1)
        #expect(try await other.voiceCalls(1) == 1)
        #expect(other.voice.calls.first?.number == 2)
        try await other.waitUntilDue(after: 31)
        stage.voice.hangUp(1)
        other.voice.hangUp(2)
        try await other.waitUntilDue(before: 31)
        #expect(
          try other.cell(
            """
            SELECT extract(epoch FROM emergency.due_at - call.called_at)::int4
              FROM data4help.emergencies AS emergency
              JOIN data4help.emergency_calls AS call USING (episode_id)
             WHERE call.number = 2
            """) == "30")
      }
    }
  }

  @Test(
    "a call that rings is hung up once its emergency is over, wherever that was said",
    .tags(.SOS_4, .SOS_5))
  func withdrawn() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      stage.voice.manner = .ringing
      let episode = try await stage.calledEpisode()
      #expect(try await stage.voiceCalls(1) == 1)
      try await stage.follow()
      #expect(try await stage.episodes()[0].call?["withdrawnAt"] == nil)
      try await SingleRequestStage.replica(of: stage.installation) { other in
        other.clock.advance(seconds: 6)
        let status = try await other.act(
          .reportFalseAlarm, episode, by: Known.mario, .singleUser)
        #expect(status == 200)
      }
      // It still rings here, until this replica looks.
      try await stage.follow()
      try await stage.waitUntil {
        try await stage.episodes()[0].call?["withdrawnAt"] is String
      }
      let ended = try await stage.episodes()[0]
      #expect(ended["stage"] as? String == "false alarm")
      #expect(ended.call?["acknowledgedAt"] == nil)
      stage.clock.advance(seconds: 3600)
      #expect(try await stage.turn() == 0)
    }
  }

  @Test(
    "a hospital that takes the emergency on while the number rings ends that call",
    .tags(.SOS_5))
  func takenOnWhileRinging() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      stage.voice.manner = .ringing
      let episode = try await stage.calledEpisode()
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(try await stage.voiceCalls(1) == 1)
      let status = try await stage.act(
        .acknowledgeCall, episode, by: Known.clinic, .thirdParty)
      #expect(status == 200)
      try await stage.follow()
      try await stage.waitUntil {
        let calls = try await stage.episodes()[0]["calls"] as? [[String: Any]]
        return calls?.last?["withdrawnAt"] is String
      }
      #expect(try await stage.episodes()[0]["stage"] as? String == "acknowledged")
    }
  }

  @Test(
    "a call under way in a process that is killed is placed by another one, when it is due",
    .tags(.SOS_5, .NFR_4))
  func killed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      _ = try await stage.calledEpisode()
      #expect(try await stage.voiceCalls(1) == 1)
      // As far as the first one's, and until the call is due.
      // The first replica does nothing any more.
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

  @Test(
    "contacts with a telephone are called with name, date, time and place, thrice at most",
    .tags(.SOS_6), .timeLimit(.minutes(10)))
  func contacts() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let contacts = """
        {"contacts":[{"name":"Anna","email":"anna@example.org","phone":"+39 02 1234567"},
                     {"name":"Ugo","email":"ugo@example.org"}]}
        """
      let reply = try await stage.call(.chooseContacts, contacts, by: Known.mario, .singleUser)
      #expect(reply.status == 200)
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.measure("45.4642,9.19", "position")
      stage.contactVoice.manner = .heard
      _ = try await stage.calledEpisode()
      try await stage.waitUntil { stage.contactVoice.calls.count == 1 }
      let call = try #require(stage.contactVoice.calls.first)
      #expect(call.contact?.text == "+39021234567")
      let words = call.sentence.replacing(/il \d+ \w+ alle \d+:\d\d/, with: "il DAY alle TIME")
      #expect(
        words == """
          Messaggio automatico. A può essere in pericolo: il DAY alle TIME è stato chiamato \
          soccorso. Vicino a Milano. Latitudine 45 virgola 46 42, longitudine 9 virgola 19 0 0.
          """)
      #expect(!call.sentence.contains(Known.marioCode))
      let sound = try Speech().sound(of: call.sentence, in: call.language)
      #expect(sound.duration <= .seconds(15), "\(sound.duration)")
      // The emergency number is not called while a hospital is.
      #expect(stage.voice.calls.isEmpty)
      // And not again with the next call for help.
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(try await stage.voiceCalls(1) == 1)
      #expect(stage.contactVoice.calls.count == 1)
      // The history has all three, in their order.
      try await stage.waitUntil {
        try await stage.calls().contains { $0["acknowledgedAt"] is String }
      }
      let calls = try await stage.calls()
      #expect(calls.map { $0["hospital"] as? String } == ["Clinic", nil, nil])
      #expect(calls.map { $0["contact"] as? String } == [nil, "Anna", nil])
      #expect(calls.map { $0["voice"] as? Bool } == [false, true, true])
      #expect(calls.map { $0["acknowledgedAt"] is String } == [false, true, false])
      let names = try stage.cell(
        "SELECT encode(sealed_name, 'escape') FROM data4help.emergency_contact_calls")
      #expect(names?.contains("Anna") == false)
    }
  }

  @Test(
    "a contact who does not pick up is called again, each call is stored, a false alarm hangs up",
    .tags(.SOS_4, .SOS_6, .SOS_8), .timeLimit(.minutes(10)))
  func contactsAgain() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.choose(contacts: ["+39 02 1234567"])
      let episode = try await stage.calledEpisode()
      let loop = stage.surroundings.loop
      stage.contactVoice.manner = .silent
      try await stage.waitUntil { stage.contactVoice.calls.count == 1 }
      stage.contactVoice.manner = .ringing
      // Those of one moment stand in no order.
      stage.clock.advance(seconds: 1)
      while stage.contactVoice.calls.count < 2 {
        try await stage.here { try await loop.wait(for: .milliseconds(20)) }
      }
      let status = try await stage.act(.reportFalseAlarm, episode, by: Known.mario, .singleUser)
      #expect(status == 200)
      try await stage.follow()
      try await stage.waitUntil {
        try await stage.calls().contains { $0["withdrawnAt"] is String }
      }
      let calls = try await stage.calls().filter { $0["contact"] is String }
      #expect(calls.map { $0["withdrawnAt"] is String } == [false, true])
      #expect(stage.contactVoice.calls.map(\.number) == [1, 2])
    }
  }

  @Test(
    "a person's contacts are called thirty times a day at most, and only with their country",
    .tags(.SOS_6), .timeLimit(.minutes(10)))
  func contactLimits() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      for (phone, status) in [
        ("112", 400), ("02 1234567", 400), ("0039 02 1234567", 400), ("+39 1234", 400),
        ("+39 12345", 400), ("+39 123456", 200),
      ] {
        #expect(try await stage.choose(contacts: [phone]) == status, "\(phone)")
      }
      #expect(try await stage.choose(contacts: ["+39 02 1234567", "+39 02 7654321"]) == 200)
      stage.contactVoice.manner = .heard
      let first = try await stage.calledEpisode()
      try await stage.waitUntil { stage.contactVoice.calls.count == 2 }
      #expect(try await stage.act(.reportFalseAlarm, first, by: Known.mario, .singleUser) == 200)
      try await stage.follow()
      try stage.run(
        """
        INSERT INTO data4help.emergency_contact_calls (
               call_id, episode_id, account_id, sealed_name, called_at)
        SELECT gen_random_uuid(), episode_id, account_id, '', called_at
          FROM (SELECT * FROM data4help.emergency_contact_calls LIMIT 1) AS one,
               generate_series(1, 27)
        """)
      // There is room for one of the two; a day after the first ones for both.
      for (told, seconds, count) in [(4, 660, 30), (8, 86_400, 32)] {
        stage.clock.advance(seconds: Int64(seconds))
        try await stage.measure("131")
        _ = try await stage.stages(told + 1)
        stage.clock.advance(seconds: 3)
        try await stage.measure("132")
        _ = try await stage.stages(told + 2)
        stage.clock.advance(seconds: 2)
        try await stage.turn()
        let stored = try stage.cell("SELECT count(*) FROM data4help.emergency_contact_calls")
        #expect(stored == "\(count)")
        try await stage.waitUntil { stage.contactVoice.calls.count == count - 27 }
        let episode = try #require(
          try stage.cell(
            "SELECT episode_id FROM data4help.emergencies ORDER BY suspected_at DESC LIMIT 1"))
        let status = try await stage.act(.reportFalseAlarm, episode, by: Known.mario, .singleUser)
        #expect(status == 200)
        try await stage.follow()
      }
    }
  }
}

extension [String: Any] {
  /// The first call of an episode.
  fileprivate var call: [String: Any]? { (self["calls"] as? [[String: Any]])?.first }
}

extension SingleRequestStage {
  /// Who was called for Mario's newest emergency.
  fileprivate func calls() async throws -> [[String: Any]] {
    try await episodes()[0]["calls"] as? [[String: Any]] ?? []
  }

  /// Mario names contacts with these telephones, the first of them Anna; gives the answer's status.
  @discardableResult
  fileprivate func choose(contacts phones: [String]) async throws -> Int {
    let contacts = phones.enumerated().map { (index, phone) in
      """
      {"name":"\(index == 0 ? "Anna" : "Ugo \(index)")","email":"contact\(index)@example.org",\
      "phone":"\(phone)"}
      """
    }
    let body = "{\"contacts\":[\(contacts.joined(separator: ","))]}"
    return try await call(.chooseContacts, body, by: Known.mario, .singleUser).status
  }

  /// Waits for what other tasks of the loop do.
  func waitUntil(_ holds: @escaping @Sendable () async throws -> Bool) async throws {
    let loop = surroundings.loop
    for _ in 0..<2_000 {
      if try await holds() { return }
      try await here { try await loop.wait(for: .milliseconds(5)) }
    }
    Issue.record("It did not happen within ten seconds.")
  }

  /// Waits until Mario's emergency is due after or before so many seconds from now.
  func waitUntilDue(after: Int64? = nil, before: Int64? = nil) async throws {
    let now = clock.timestamp.secondsSince1970
    try await waitUntil { [self] in
      let text = try cell(
        "SELECT ceil(extract(epoch FROM due_at))::int8 FROM data4help.emergencies")
      guard let due = text.flatMap(Int64.init) else { return false }
      return after.map { due - now > $0 } ?? true && before.map { due - now < $0 } ?? true
    }
  }
}
