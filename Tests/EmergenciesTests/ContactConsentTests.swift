import Data4HelpFixture
import Domain
import Emergencies
import Foundation
import Mail
import Operations
import PostgresFixture
import PublicAPI
import Requirements
import Testing

@Suite("Consents of emergency contacts")
struct ContactConsentTests {
  @Test(
    "a contact is asked once, and answers once by the link", .tags(.SOS_6), .timeLimit(.minutes(5)))
  func asked() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      for _ in 0..<2 { #expect(try await stage.name("Anna", "Ugo") == 200) }
      let mails = try await stage.sentMails()
      #expect(mails.map(\.to.text).sorted() == ["anna@example.org", "ugo@example.org"])
      #expect(try await stage.states() == ["asked", "asked"])
      let tokens = try mails.map { try Self.token(in: $0) }
      #expect(tokens[0] != tokens[1])
      let stored = try stage.cell(
        """
        SELECT encode(string_agg(token_hash, ''), 'escape') FROM data4help.emergency_contact_links
        """)
      #expect(stored?.contains(tokens[0]) == false)
      // Opening the link changes nothing, however often.
      for _ in 0..<2 {
        let opened = try await stage.call(
          .openContactLink, query: "token=\(tokens[0])", by: Known.laura, .singleUser)
        #expect((opened.status, opened["full_name"], opened["state"]) == (200, "A", "asked"))
      }
      #expect(try await stage.answer(tokens[0], agrees: true) == 200)
      #expect(try await stage.answer(tokens[0], agrees: false) == 401)
      #expect(try await stage.answer(tokens[1], agrees: false) == 200)
      #expect(try await stage.answer("tmc_x", agrees: true) == 401)
      #expect(Set(try await stage.states()) == ["agreed", "declined"])
      // Removing and re-adding a contact does not repeat the question.
      for names in [[], ["Anna", "Ugo"]] { #expect(try await stage.name(names) == 200) }
      #expect(try await stage.sentMails().isEmpty)
      #expect(Set(try await stage.states()) == ["agreed", "declined"])
    }
  }

  @Test(
    "before agreeing, contacts receive one emergency, which says so; after declining, none",
    .tags(.SOS_6, .SOS_8, .REQ_5), .timeLimit(.minutes(5)))
  func notified() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      #expect(try await stage.name("Anna", "Ugo", "Eva") == 200)
      var tokens: [String: String] = [:]
      for mail in try await stage.sentMails() { tokens[mail.to.text] = try Self.token(in: mail) }
      let anna = try #require(tokens["anna@example.org"])
      let eva = try #require(tokens["eva@example.org"])
      #expect(try await stage.answer(anna, agrees: true) == 200)
      #expect(try await stage.answer(eva, agrees: false) == 200)
      try await stage.measure("45.4642,9.19", "position")
      let emergency = try await stage.calledEmergency()
      // Mails of the same moment have no defined order.
      let mails = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
        .sorted { $0.to.text < $1.to.text }
      #expect(mails.map(\.to.text) == ["anna@example.org", "ugo@example.org"])
      for mail in mails {
        #expect(mail.text.contains("18 novembre 2026 alle 12:00 (UTC)"), "\(mail.text)")
        #expect(mail.text.contains("vicino a Milano, 45.4642,9.19"), "\(mail.text)")
        let map = "https://www.openstreetmap.org/?mlat=45.4642&mlon=9.19#map=17/45.4642/9.19"
        #expect(mail.text.contains(map))
      }
      #expect(mails.map { $0.text.contains("Non hai ancora accettato") } == [false, true])
      let calls = try await stage.emergencies()[0]["calls"] as? [[String: Any]] ?? []
      #expect(calls.compactMap { $0["contact"] as? String } == ["Anna", "Ugo"])
      let reported = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(reported == 200)
      let over = try await stage.sentMails().map(\.to.text).sorted()
      #expect(over == ["anna@example.org", "ugo@example.org"])
      // The record of accesses names each of them.
      let entries = try await stage.accessList("limit=100").list("accesses").filter {
        $0["contact"] is String
      }
      #expect(entries.map { $0["format"] as? String } == Array(repeating: "mail", count: 7))
      #expect(entries.count { $0["episodeID"] as? String == emergency } == 4)
      #expect(entries.count { $0["contact"] as? String == "Eva" } == 1)
      // The mails named the data type and the place; the all-clears name neither.
      let types = entries.map { Set($0["dataTypes"] as? [String] ?? []) }
      #expect(types.count { $0 == ["heartRate", "position"] } == 2)
      #expect(types.count(where: \.isEmpty) == 5)
      #expect(entries.allSatisfy { $0["company_name"] == nil })
      // The next emergency reaches only the consenting contact; the detector knows the false alarm.
      try await stage.follow()
      stage.clock.advance(seconds: 660)
      try await stage.measure("140")
      stage.clock.advance(seconds: 3)
      try await stage.measure("141")
      _ = try await stage.stages(6)
      stage.clock.advance(seconds: 2)
      try await stage.turn()
      let second = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(second.map(\.to.text) == ["anna@example.org"])
    }
  }

  @Test(
    "the contacts of a person receive at most thirty mails a day", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func limit() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      #expect(try await stage.name((1...10).map { "Contact\($0)" }) == 200)
      // Ten questions and twelve mails of earlier emergencies leave eight.
      try stage.mailed(.emergency, 12)
      _ = try await stage.sentMails()
      _ = try await stage.calledEmergency()
      let notified = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(notified.count == 8)
    }
  }

  @Test(
    "at most ten questions and all-clears are sent a day, which leaves emergencies their share",
    .tags(.SOS_6), .timeLimit(.minutes(5)))
  func reserve() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      let names = (1...11).map { "Contact\($0)" }
      #expect(try await stage.name(Array(names[..<10])) == 200)
      #expect(try await stage.name([names[10]]) == 429)
      #expect(try await stage.states().count == 10)
      // Eight of the all-clears of earlier emergencies are from today.
      try stage.mailed(.allClear, 8)
      _ = try await stage.sentMails()
      let emergency = try await stage.calledEmergency()
      let notified = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(notified.count == 10)
      let reported = try await stage.act(.reportFalseAlarm, emergency, by: Known.mario, .singleUser)
      #expect(reported == 200)
      #expect(try await stage.sentMails().count == 2)
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.name([names[10]]) == 200)
      #expect(try await stage.sentMails().filter { $0.text.contains("/sos/contact") }.count == 1)
    }
  }

  @Test(
    "a contact is asked about a changed telephone before it rings", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func telephone() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      #expect(try await stage.states() == ["agreed"])
      #expect(try await stage.name(["Anna"], phone: "+39 02 1234567") == 200)
      #expect(try await stage.states() == ["asked"])
      stage.contactVoice.manner = .heard
      _ = try await stage.calledEmergency()
      #expect(stage.contactVoice.calls.isEmpty)
    }
  }

  @Test(
    "a contact who agreed receives one more emergency mail after the telephone changed",
    .tags(.SOS_6), .timeLimit(.minutes(5)))
  func mailedAfterTelephone() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      try stage.run("UPDATE data4help.emergency_contacts SET notified_at = asked_at")
      #expect(try await stage.name(["Anna"], phone: "+39 02 1234567") == 200)
      #expect(try await stage.states() == ["asked"])
      _ = try await stage.calledEmergency()
      let notified = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(notified.map(\.to.text) == ["anna@example.org"])
    }
  }

  @Test(
    "a link agrees only to the telephone that its mail named, and declines in any case",
    .tags(.SOS_6), .timeLimit(.minutes(5)))
  func telephoneOfLink() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      var anna: [String] = []
      var ugo: [String] = []
      for phone in [nil, "+39 02 1234567", "+39 02 7654321"] {
        #expect(try await stage.name(["Anna", "Ugo"], phone: phone) == 200)
        let tokens = try Self.tokens(in: try await stage.sentMails())
        anna.append(try #require(tokens["anna@example.org"]))
        ugo.append(try #require(tokens["ugo@example.org"]))
        stage.clock.advance(seconds: 86_400)
      }
      for old in anna[..<2] {
        let opened = try await stage.open(old)
        #expect((opened.status, opened["full_name"]) == (200, "A"))
        #expect(opened.object["mayAgree"] as? Bool == false)
        #expect(try await stage.answer(old, agrees: true) == 409)
      }
      #expect(try await stage.states() == ["asked", "asked"])
      #expect(try await stage.open(anna[2]).object["mayAgree"] as? Bool == true)
      #expect(try await stage.answer(anna[2], agrees: true) == 200)
      #expect(try await stage.answer(ugo[0], agrees: false) == 200)
      #expect(try await stage.answer(ugo[2], agrees: true) == 401)
      #expect(try await stage.states() == ["agreed", "declined"])
    }
  }

  @Test(
    "the mail of an emergency names the telephone that its link agrees to", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func telephoneOfEmergency() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      stage.contactVoice.manner = .heard
      #expect(try await stage.name(["Anna", "Ugo"], phone: "+39 02 1234567") == 200)
      let asked = try Self.tokens(in: try await stage.sentMails())
      let first = try #require(asked["anna@example.org"])
      #expect(try await stage.answer(first, agrees: true) == 200)
      _ = try await stage.calledEmergency()
      let mails = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
        .sorted { $0.to.text < $1.to.text }
      #expect(mails.map { $0.text.contains("(+39021234567)") } == [false, true])
      let notified = try Self.tokens(in: mails)
      let anna = try #require(notified["anna@example.org"])
      let ugo = try #require(notified["ugo@example.org"])
      #expect(try await stage.answer(anna, agrees: true) == 409)
      #expect(try await stage.answer(anna, agrees: false) == 200)
      #expect(try await stage.answer(ugo, agrees: true) == 200)
      #expect(try await stage.states() == ["declined", "agreed"])
    }
  }

  @Test(
    "a person asks a contact at most twice a day, and the response says so", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func askedTwice() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      for phone in ["+39 02 1234567", "+39 02 1234568"] {
        #expect(try await stage.name(["Anna"], phone: phone) == 200)
      }
      #expect(try await stage.name(["Anna"], phone: "+39 02 1234569") == 429)
      #expect(try await stage.sentMails().count == 2)
      _ = try await stage.calledEmergency()
      let notified = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(notified.count == 1)
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.name(["Anna"], phone: "+39 02 1234569") == 200)
    }
  }

  @Test(
    "all accounts together ask an address five times a day; emergencies still reach it",
    .tags(.SOS_6), .timeLimit(.minutes(5)))
  func askedByAll() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for account in [Known.mario, Known.laura] { try await stage.enable(account) }
      #expect(try await stage.list(["Anna"], by: Known.laura).status == 200)
      try stage.run(
        """
        INSERT INTO data4help.contact_questions (receiver, asked_at)
        SELECT receiver, asked_at FROM data4help.contact_questions, generate_series(1, 4)
        """)
      #expect(try await stage.sentMails().count == 1)
      let listed = try await stage.list(["Anna", "Ugo"])
      #expect(listed.object["notAsked"] as? [String] == ["anna@example.org"])
      #expect(try await stage.sentMails().map(\.to.text) == ["ugo@example.org"])
      #expect(try await stage.states() == ["not asked", "asked"])
      _ = try await stage.calledEmergency()
      let notified = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(notified.map(\.to.text).sorted() == ["anna@example.org", "ugo@example.org"])
      stage.clock.advance(seconds: 86_400)
      let (database, environment) = (stage.parts.database, stage.parts.environment)
      try await stage.here {
        try await ContactQuestions.forget(in: database, environment: environment)
      }
      #expect(try stage.cell("SELECT count(*) FROM data4help.contact_questions") == "0")
    }
  }

  @Test(
    "a removed contact's link, or one while AutomatedSOS is off, shows no name and only declines",
    .tags(.SOS_6), .timeLimit(.minutes(5)))
  func offTheList() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      #expect(try await stage.name("Anna") == 200)
      let asked = try Self.tokens(in: try await stage.sentMails())
      let token = try #require(asked["anna@example.org"])
      #expect(try await stage.list([]).status == 200)
      try await Self.expectNoName(token, stage)
      #expect(try await stage.name("Anna") == 200)
      let opened = try await stage.open(token)
      #expect(opened["full_name"] == "A")
      #expect(opened.object["mayAgree"] as? Bool == true)
      #expect(try await stage.call(.disableSOS, by: Known.mario, .singleUser).status == 200)
      try await Self.expectNoName(token, stage)
      #expect(try await stage.answer(token, agrees: false) == 200)
      try await stage.enable()
      #expect(try await stage.name("Anna") == 200)
      #expect(try await stage.states() == ["declined"])
      #expect(try await stage.sentMails().isEmpty)
    }
  }

  private static func expectNoName(_ token: String, _ stage: SingleRequestStage) async throws {
    let opened = try await stage.open(token)
    #expect(opened.status == 200 && opened["full_name"] == nil)
    #expect(opened.object["mayAgree"] as? Bool == false)
    #expect(try await stage.answer(token, agrees: true) == 409)
  }

  /// The tokens of the links in mails to contacts, by their addresses.
  private static func tokens(in mails: [MailMessage]) throws -> [String: String] {
    var tokens: [String: String] = [:]
    for mail in mails { tokens[mail.to.text] = try token(in: mail) }
    return tokens
  }

  /// The token of the link in a mail to a contact.
  private static func token(in mail: MailMessage) throws -> String {
    let start = try #require(mail.text.firstRange(of: "/sos/contact?token="))
    return String(mail.text[start.upperBound...].prefix { !$0.isWhitespace })
  }
}

extension SingleRequestStage {
  /// Sets Mario's contacts; returns the status.
  fileprivate func name(_ names: String...) async throws -> Int { try await name(names) }

  fileprivate func name(_ names: [String], phone: String? = nil) async throws -> Int {
    try await list(names, phone: phone).status
  }

  /// A person replaces the list of contacts.
  fileprivate func list(
    _ names: [String], phone: String? = nil, by account: AccountID = Known.mario
  ) async throws -> Reply {
    let telephone = phone.map { ",\"phone\":\"\($0)\"" } ?? ""
    let contacts = names.map {
      "{\"name\":\"\($0)\",\"email\":\"\($0.lowercased())@example.org\"\(telephone)}"
    }
    let body = "{\"contacts\":[\(contacts.joined(separator: ","))]}"
    return try await call(.chooseContacts, body, by: account, .singleUser)
  }

  /// A contact opens a link.
  fileprivate func open(_ token: String) async throws -> Reply {
    try await call(.openContactLink, query: "token=\(token)", by: Known.laura, .singleUser)
  }

  /// The kind of a mail, as stored.
  fileprivate enum MailKind: Int {
    case emergency = 2
    case allClear = 3
  }

  /// Inserts mails to Mario's contacts sent just now.
  fileprivate func mailed(_ kind: MailKind, _ count: Int) throws {
    try run(
      """
      INSERT INTO data4help.emergency_contact_mails (
             mail_id, account_id, kind, contact, sealed_name, sealed_address, queued_at)
      SELECT gen_random_uuid(), account_id, \(kind.rawValue), contact, '', '', queued_at
        FROM (SELECT * FROM data4help.emergency_contact_mails LIMIT 1) AS mail,
             generate_series(1, \(count))
      """)
  }

  /// The states of Mario's contacts.
  fileprivate func states() async throws -> [String] {
    let settings = try await call(.readSOSSettings, by: Known.mario, .singleUser)
    return settings.list("contacts").compactMap { $0["state"] as? String }
  }

  fileprivate func answer(_ token: String, agrees: Bool) async throws -> Int {
    try await call(
      .answerAsContact, "{\"token\":\"\(token)\",\"agree\":\(agrees)}", by: Known.laura,
      .singleUser
    ).status
  }
}
