import Data4HelpFixture
import Domain
import Emergencies
import Foundation
import PostgresFixture
import PublicAPI
import Requirements
import Support
import Telephony
import Testing

@Suite("Calls by voice to emergency contacts")
struct ContactCallTests {
  @Test(
    "contacts with a telephone are called with name, date, time and place, at most thrice",
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
      try stage.agree()
      try await stage.hospital(Known.clinic, at: "45.46,9.19")
      try await stage.measure("45.4642,9.19", "position")
      stage.contactVoice.manner = .heard
      _ = try await stage.calledEmergency()
      try await stage.waitUntilContactsAreCalled(1)
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
      // The next call for help does not repeat them.
      stage.clock.advance(seconds: 30)
      try await stage.turn()
      #expect(try await stage.voiceCalls(1) == 1)
      #expect(stage.contactVoice.calls.count == 1)
      // The history lists all three, in their order.
      try await eventually("the acknowledged call", within: .seconds(120)) {
        try await stage.calls().contains { $0["acknowledgedAt"] is String }
      }
      let calls = try await stage.calls().filter {
        $0["contact"] == nil || $0["voice"] as? Bool == true
      }
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
      let emergency = try await stage.calledEmergency()
      stage.contactVoice.manner = .silent
      try await stage.waitUntilContactsAreCalled(1)
      stage.contactVoice.manner = .ringing
      // Calls of the same moment have no defined order.
      stage.clock.advance(seconds: 1)
      try await eventually("the second call", within: .seconds(120)) {
        stage.contactVoice.calls.count >= 2
      }
      let status = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(status == 200)
      try await stage.follow()
      try await eventually("the withdrawn call", within: .seconds(120)) {
        try await stage.calls().contains { $0["withdrawnAt"] is String }
      }
      let calls = try await stage.calls().filter {
        $0["contact"] is String && $0["voice"] as? Bool == true
      }
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
      let first = try await stage.calledEmergency()
      try await stage.waitUntilContactsAreCalled(2)
      #expect(try await stage.act(.reportFalseAlarm, first, by: Known.mario, .singleUser) == 200)
      try await stage.follow()
      try stage.run(
        """
        INSERT INTO data4help.emergency_contact_calls (
               call_id, emergency_id, account_id, sealed_name, called_at)
        SELECT gen_random_uuid(), emergency_id, account_id, '', called_at
          FROM (SELECT * FROM data4help.emergency_contact_calls LIMIT 1) AS one,
               generate_series(1, 27)
        """)
      // One of the two fits the limit; a day after the first calls, both do.
      for (notified, seconds, count) in [(4, 660, 30), (8, 86_400, 32)] {
        stage.clock.advance(seconds: Int64(seconds))
        try await stage.measure("131")
        _ = try await stage.stages(notified + 1)
        stage.clock.advance(seconds: 3)
        try await stage.measure("132")
        _ = try await stage.stages(notified + 2)
        stage.clock.advance(seconds: 2)
        try await stage.turn()
        let stored = try stage.cell("SELECT count(*) FROM data4help.emergency_contact_calls")
        #expect(stored == "\(count)")
        try await stage.waitUntilContactsAreCalled(count - 27)
        let emergency = try #require(
          try stage.cell(
            "SELECT emergency_id FROM data4help.emergencies ORDER BY suspected_at DESC LIMIT 1"))
        let status = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
        #expect(status == 200)
        try await stage.follow()
      }
    }
  }

  @Test(
    "two contacts of a person are called at the same time, the others after them",
    .tags(.SOS_6), .timeLimit(.minutes(10)))
  func contactTurns() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try await stage.choose(contacts: ["+39 02 1234567", "+39 02 1234568", "+39 02 1234569"])
      stage.contactVoice.manner = .listening
      let emergency = try await stage.calledEmergency()
      try await stage.waitUntilContactsAreCalled(2)
      stage.contactVoice.manner = .heard
      try await stage.waitUntilContactsAreCalled(3)
      // Pending calls are cancelled when the emergency ends.
      #expect(
        try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser) == 200)
      try await stage.follow()
      stage.clock.advance(seconds: 660)
      stage.contactVoice.manner = .ringing
      let second = try await stage.calledEmergencyAgain()
      try await stage.waitUntilContactsAreCalled(5)
      #expect(try await stage.act(.reportFalseAlarm, second, by: Known.mario, .singleUser) == 200)
      try await stage.follow()
      try await eventually("three withdrawn calls", within: .seconds(120)) {
        try stage.cell(
          """
          SELECT count(*) FROM data4help.emergency_contact_calls WHERE withdrawn_at IS NOT NULL
          """) == "3"
      }
      #expect(stage.contactVoice.calls.count == 5)
    }
  }
}

extension SingleRequestStage {
  /// The calls for Mario's newest emergency.
  fileprivate func calls() async throws -> [[String: Any]] {
    try await emergencies()[0]["calls"] as? [[String: Any]] ?? []
  }

  /// Waits for `count` calls to contacts.
  fileprivate func waitUntilContactsAreCalled(_ count: Int) async throws {
    try await eventually("\(count) calls to contacts", within: .seconds(120)) {
      contactVoice.calls.count == count
    }
  }

  /// Sets Mario's contacts with these telephones, the first of them Anna; returns the status.
  @discardableResult
  fileprivate func choose(contacts phones: [String]) async throws -> Int {
    let contacts = phones.enumerated().map { (index, phone) in
      """
      {"name":"\(index == 0 ? "Anna" : "Ugo \(index)")","email":"contact\(index)@example.org",\
      "phone":"\(phone)"}
      """
    }
    let body = "{\"contacts\":[\(contacts.joined(separator: ","))]}"
    let status = try await call(.chooseContacts, body, by: Known.mario, .singleUser).status
    try agree()
    return status
  }

  /// Raises an emergency after an ended one, until help is called; returns it.
  fileprivate func calledEmergencyAgain() async throws -> String {
    let notified = try await stages(0).count
    try await measure("131")
    _ = try await stages(notified + 1)
    clock.advance(seconds: 3)
    try await measure("132")
    _ = try await stages(notified + 2)
    clock.advance(seconds: 2)
    try await turn()
    return try #require(try await emergencies()[0]["episodeID"] as? String)
  }
}
