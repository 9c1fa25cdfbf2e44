import Data4Help
import Delivery
import Domain
import EventLoop
import Foundation
import Operations
import PublicAPI
import Requirements
import Testing

@Suite("What emergency contacts have said")
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
        SELECT string_agg(encode(token_hash, 'escape'), ' ')
          FROM data4help.emergency_contact_links
        """
      )
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
      // Nobody is asked again, by taking them out and in neither.
      for names in [[], ["Anna", "Ugo"]] { #expect(try await stage.name(names) == 200) }
      #expect(try await stage.sentMails().isEmpty)
      #expect(Set(try await stage.states()) == ["agreed", "declined"])
    }
  }

  @Test(
    "before they agree one emergency reaches contacts, which says so; who declined gets nothing",
    .tags(.SOS_6, .SOS_8, .REQ_5), .timeLimit(.minutes(5)))
  func told() async throws {
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
      let episode = try await stage.calledEpisode()
      let mails = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(mails.map(\.to.text) == ["anna@example.org", "ugo@example.org"])
      for mail in mails {
        #expect(mail.text.contains("18 novembre 2026 alle 12:00 (UTC)"), "\(mail.text)")
        #expect(mail.text.contains("vicino a Milano, 45.4642,9.19"), "\(mail.text)")
        let map = "https://www.openstreetmap.org/?mlat=45.4642&mlon=9.19#map=17/45.4642/9.19"
        #expect(mail.text.contains(map))
      }
      #expect(mails.map { $0.text.contains("Non hai ancora accettato") } == [false, true])
      let calls = try await stage.episodes()[0]["calls"] as? [[String: Any]] ?? []
      #expect(calls.compactMap { $0["contact"] as? String }.sorted() == ["Anna", "Ugo"])
      let reported = try await stage.act(.reportFalseAlarm, episode, by: Known.mario, .singleUser)
      #expect(reported == 200)
      let over = try await stage.sentMails().map(\.to.text).sorted()
      #expect(over == ["anna@example.org", "ugo@example.org"])
      // The record of accesses names each of them.
      let entries = try await stage.accessList("limit=100").list("accesses").filter {
        $0["contact"] is String
      }
      #expect(entries.map { $0["format"] as? String } == Array(repeating: "mail", count: 7))
      #expect(entries.count { $0["episodeID"] as? String == episode } == 4)
      #expect(entries.count { $0["contact"] as? String == "Eva" } == 1)
      #expect(entries.allSatisfy { $0["company_name"] == nil })
      // The next emergency reaches who agreed alone; the detector has learned of the false alarm.
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
    "thirty mails a day reach the contacts of a person at most", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func limit() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.enable()
      let names = (1...31).map { "Contact\($0)" }
      for start in stride(from: 0, to: 20, by: 10) {
        #expect(try await stage.name(Array(names[start..<start + 10])) == 200)
      }
      #expect(try await stage.name(Array(names[20..<28])) == 200)
      let refused = try await stage.name(Array(names[28..<31]))
      #expect(refused == 429)
      #expect(try await stage.states().count == 8)
      // Two of the eight can be told today.
      _ = try await stage.sentMails()
      _ = try await stage.calledEpisode()
      let told = try await stage.sentMails().filter { $0.subject == "TrackMe: emergenza" }
      #expect(told.count == 2)
      stage.clock.advance(seconds: 86_400)
      #expect(try await stage.name(Array(names[28..<31])) == 200)
      #expect(try await stage.sentMails().filter { $0.text.contains("/sos/contact") }.count == 3)
    }
  }

  @Test(
    "another telephone of a contact is asked about before it rings", .tags(.SOS_6),
    .timeLimit(.minutes(5)))
  func telephone() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      #expect(try await stage.states() == ["agreed"])
      #expect(try await stage.name(["Anna"], phone: "+39 02 1234567") == 200)
      #expect(try await stage.states() == ["asked"])
      stage.contactVoice.manner = .heard
      _ = try await stage.calledEpisode()
      #expect(stage.contactVoice.calls.isEmpty)
    }
  }

  /// The token of the link in a mail to a contact.
  private static func token(in mail: MailMessage) throws -> String {
    let start = try #require(mail.text.firstRange(of: "/sos/contact?token="))
    return String(mail.text[start.upperBound...].prefix { !$0.isWhitespace })
  }
}

extension SingleRequestStage {
  /// Mario names these contacts; gives the answer's status.
  fileprivate func name(_ names: String...) async throws -> Int { try await name(names) }

  fileprivate func name(_ names: [String], phone: String? = nil) async throws -> Int {
    let telephone = phone.map { ",\"phone\":\"\($0)\"" } ?? ""
    let contacts = names.map {
      "{\"name\":\"\($0)\",\"email\":\"\($0.lowercased())@example.org\"\(telephone)}"
    }
    let body = "{\"contacts\":[\(contacts.joined(separator: ","))]}"
    return try await call(.chooseContacts, body, by: Known.mario, .singleUser).status
  }

  /// What Mario's contacts have said.
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

  /// The mails that were queued since the last call.
  fileprivate func sentMails() async throws -> [MailMessage] {
    let mailbox = Mailbox()
    let surroundings = surroundings
    try await here {
      let worker = MailWorker(
        queue: surroundings.mails, database: surroundings.database, transport: mailbox,
        world: surroundings.world, log: .none)
      try await worker.sendDue()
    }
    return mailbox.all
  }
}
