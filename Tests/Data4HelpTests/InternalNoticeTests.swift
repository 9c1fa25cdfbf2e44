import Accounts
import Data4HelpFixture
import Domain
import InternalAPI
import JSON
import Mail
import Postgres
import PublicAPI
import Requirements
import Testing
import Time

@Suite("Notifications about runs")
struct InternalNoticeTests {
  private let mail = ReaderMail(
    italian: MailText(
      subject: "Corsa annullata",
      text: "Il giro del \(ReaderMail.marked(Self.start)) è annullato."),
    english: MailText(
      subject: "Run cancelled", text: "Off: the run of \(ReaderMail.marked(Self.start))."))
  private static let start = Instant(millisecondsSince1970: 1_795_017_600_000)

  @Test("every recipient of an order gets one notice and one mail per key", .tags(.RUN_2, .NTF_1))
  func notified() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let gone = AccountID(rawValue: 99)
      let order = NoticeOrder(
        to: [Known.mario, Known.laura, Known.clinic, gone],
        facts: ["event": "cancelled", "runName": "Giro del lago"], mail: mail)
      for _ in 1...2 {
        #expect(try await stage.order(InternalPath.notices, order, "run-1").status == 200)
      }
      for (account, kind) in [
        (Known.mario, AccountKind.singleUser), (Known.clinic, .thirdParty),
      ] {
        let items = try await stage.notices(of: account, kind).list("items")
        #expect(items.compactMap { $0["kind"] as? String } == ["run"])
        #expect(try await stage.noticeData(account, kind)[0]["event"] as? String == "cancelled")
      }
      let mails = try await stage.sentMails()
      #expect(
        Set(mails.map(\.to.text)) == [
          Known.marioEmail, Known.lauraEmail, "clinic@example.com",
        ])
      #expect(mails.count == 3)
      for mail in mails {
        #expect(mail.subject == "Corsa annullata")
        #expect(mail.text.hasPrefix("Il giro del 18 novembre 2026, "))
      }
      // A separate mail of the notice would repeat this with less detail.
      stage.clock.advance(seconds: 20)
      let general = try stage.noticeMails()
      #expect(try await stage.here { try await general.send() } == 0)
    }
  }

  @Test("each reader gets their own language and time zone", .tags(.NTF_3))
  func readers() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try stage.run(
        """
        UPDATE data4help.accounts SET language = 'en', time_zone = 'America/New_York'
         WHERE account_id = 12
        """)
      let order = NoticeOrder(
        to: [Known.mario, Known.laura],
        facts: [
          "event": "joined", "runName": "Giro", "number": "3", "startTime": Self.start.description,
        ], mail: mail)
      #expect(try await stage.order(InternalPath.notices, order, "run-9").status == 200)
      let mails = try await stage.sentMails()
      let english = try #require(mails.first { $0.to.text == Known.lauraEmail })
      #expect(english.subject == "Run cancelled")
      #expect(english.text == "Off: the run of 18 November 2026, 11:00 (America/New_York).")
      let notified = try await stage.notices(of: Known.laura, .singleUser).list("items")
      #expect(
        notified[0]["text"] as? String
          == "You take part with the number 3: the run “Giro” of 18 November 2026, 11:00 "
          + "(America/New_York).")
      let italian = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(
        (italian[0]["text"] as? String)?.hasPrefix(
          "Partecipi con il numero 3: la corsa “Giro” del 18 novembre 2026, ") == true)
    }
  }

  @Test(
    "a notice with an unreadable time has its kind's text, others have their own",
    .tags(.NTF_3))
  func unreadableTime() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for (number, start) in ["tomorrow", Self.start.description].enumerated() {
        let order = NoticeOrder(
          to: [Known.mario],
          facts: ["event": "left", "runName": "Giro", "startTime": start], mail: nil)
        #expect(try await stage.order(InternalPath.notices, order, "run-\(number)").status == 200)
      }
      let notified = try await stage.notices(of: Known.mario, .singleUser).list("items")
      let texts = notified.compactMap { $0["text"] as? String }
      #expect(texts.count == 2)
      #expect(
        texts.first?.hasPrefix("Non partecipi più: la corsa “Giro” del 18 novembre 2026, ") == true)
      #expect(texts.last == "Una novità su una corsa.")
    }
  }

  @Test("a notice without mail text is sent by the general mail", .tags(.NTF_1))
  func general() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let order = NoticeOrder(to: [Known.mario], facts: ["event": "signal lost"], mail: nil)
      #expect(try await stage.order(InternalPath.notices, order, "run-2").status == 200)
      #expect(try await stage.sentMails().isEmpty)
      stage.clock.advance(seconds: 20)
      let general = try stage.noticeMails()
      #expect(try await stage.here { try await general.send() } == 1)
    }
  }

  @Test("a mail lists fifty notices, and counts the others", .tags(.NTF_1))
  func many() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for number in 1...51 {
        let order = NoticeOrder(
          to: number < 51 ? [Known.mario, Known.laura] : [Known.mario],
          facts: ["event": "cancelled", "runName": "Run \(number)"], mail: nil)
        #expect(try await stage.order(InternalPath.notices, order, "run-\(number)").status == 200)
      }
      stage.clock.advance(seconds: 20)
      let general = try stage.noticeMails()
      #expect(try await stage.here { try await general.send() } == 2)
      for mail in try await stage.sentMails() {
        let lines = mail.text.split(separator: "\n")
        #expect(lines.count { $0.hasPrefix("- È stata annullata la corsa “Run ") } == 50)
        #expect(lines.contains("- e altre 1") == (mail.to.text == Known.marioEmail))
      }
    }
  }

  @Test("a person who disabled mails about runs gets only the notice", .tags(.NTF_1))
  func unwanted() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let choice = try await stage.call(
        .chooseMailedNotices, "{\"kinds\":[\"security\"]}", by: Known.mario, .singleUser)
      #expect(choice.status == 200)
      let order = NoticeOrder(to: [Known.mario], facts: ["event": "cancelled"], mail: mail)
      #expect(try await stage.order(InternalPath.notices, order, "run-3").status == 200)
      #expect(try await stage.sentMails().isEmpty)
      #expect(try await stage.notices(of: Known.mario, .singleUser).list("items").count == 1)
    }
  }

  @Test("invitations go to the addresses given, once for each key")
  func invitations() async throws {
    try await SingleRequestStage.with { stage in
      let order = MailOrder(
        to: [try EmailAddress("a@example.org"), try EmailAddress("b@example.org")], mail)
      for _ in 1...2 {
        #expect(try await stage.order(InternalPath.mails, order, "invitation-1").status == 200)
      }
      let mailed = try await stage.sentMails()
      #expect(mailed.map(\.to.text).sorted() == ["a@example.org", "b@example.org"])
      // The language and time zone of the readers are unknown.
      for mail in mailed {
        #expect(mail.subject == "Corsa annullata / Run cancelled")
        #expect(mail.text.hasPrefix("Il giro del 18 novembre 2026, "))
        #expect(mail.text.contains("\n\n---\n\nOff: the run of 18 November 2026, "))
      }
    }
  }

  @Test("an order without a key, of too many, or repeated with another content is refused")
  func refused() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let order = NoticeOrder(to: [Known.mario], facts: ["event": "changed"], mail: nil)
      let keyless = try await stage.callInternally(InternalPath.notices, stage.json(order))
      #expect(keyless.status == 400)
      let many = NoticeOrder(
        to: Array(repeating: Known.mario, count: 501), facts: [:], mail: nil)
      #expect(try await stage.order(InternalPath.notices, many, "run-4").status == 400)
      let address = try EmailAddress("a@example.org")
      let mails = MailOrder(to: Array(repeating: address, count: 101), mail)
      #expect(try await stage.order(InternalPath.mails, mails, "run-5").status == 400)
      #expect(try await stage.order(InternalPath.notices, order, "run-6").status == 200)
      let other = NoticeOrder(to: [Known.laura], facts: ["event": "changed"], mail: nil)
      #expect(try await stage.order(InternalPath.notices, other, "run-6").status == 422)
    }
  }
}

extension SingleRequestStage {
  fileprivate func order(
    _ path: String, _ order: some JSONWritable, _ key: String
  ) async throws -> Reply {
    try await callInternally(path, json(order), fields: [("idempotency-key", key)])
  }
}
