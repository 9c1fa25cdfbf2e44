import Data4Help
import Delivery
import Domain
import JSON
import Postgres
import PublicAPI
import Requirements
import Services
import Testing

@Suite("What accounts are told of runs")
struct InternalNoticeTests {
  private let mail = MailText(
    subject: "Corsa annullata / run cancelled", text: "Il giro del lago è annullato.")

  @Test("everyone of an order is told and mailed, once for each key", .tags(.RUN_2, .NTF_1))
  func told() async throws {
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
        #expect(try await stage.toldOf(account, kind)[0]["event"] as? String == "cancelled")
      }
      let mails = try await stage.mailed()
      #expect(
        Set(mails.map(\.to.text)) == [
          Known.marioEmail, Known.lauraEmail, "clinic@example.com",
        ])
      #expect(mails.count == 3)
      #expect(mails.allSatisfy { $0.subject == mail.subject && $0.text == mail.text })
      // The notice's own mail would say less, and again.
      stage.clock.advance(seconds: 20)
      let general = try stage.noticeMails()
      #expect(try await stage.here { try await general.send() } == 0)
    }
  }

  @Test("a notice without words for a mail gets the mail of any notice", .tags(.NTF_1))
  func general() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let order = NoticeOrder(to: [Known.mario], facts: ["event": "signal lost"], mail: nil)
      #expect(try await stage.order(InternalPath.notices, order, "run-2").status == 200)
      #expect(try await stage.mailed().isEmpty)
      stage.clock.advance(seconds: 20)
      let general = try stage.noticeMails()
      #expect(try await stage.here { try await general.send() } == 1)
    }
  }

  @Test("who wants no mails of runs gets the notice alone", .tags(.NTF_1))
  func unwanted() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      let choice = try await stage.call(
        .chooseMailedNotices, "{\"kinds\":[\"security\"]}", by: Known.mario, .singleUser)
      #expect(choice.status == 200)
      let order = NoticeOrder(to: [Known.mario], facts: ["event": "cancelled"], mail: mail)
      #expect(try await stage.order(InternalPath.notices, order, "run-3").status == 200)
      #expect(try await stage.mailed().isEmpty)
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
      let mailed = try await stage.mailed()
      #expect(mailed.map(\.to.text).sorted() == ["a@example.org", "b@example.org"])
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
  ) async throws -> SingleRequestReply {
    try await callInternally(path, json(order), fields: [("idempotency-key", key)])
  }
}
