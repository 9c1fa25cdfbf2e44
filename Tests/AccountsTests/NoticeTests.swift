import Accounts
import Data4HelpFixture
import Domain
import Foundation
import Mail
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Sharing
import Support
import Testing
import Web

@Suite("Notices")
struct NoticeTests {
  @Test("notices are listed newest first, counted while unread, and marked as read", .tags(.NTF_1))
  func list() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      var requests: [String] = []
      for _ in 0..<3 { requests.append(try await stage.ask()) }
      let page = try await stage.notices(of: Known.mario, .singleUser, "limit=2")
      #expect(page.list("items").compactMap { $0["id"] as? Int } == [3, 2])
      #expect(page.object["unread"] as? Int == 3)
      #expect((page.object["mail"] as? [String])?.count == 7)
      let rest = try await stage.notices(
        of: Known.mario, .singleUser, "limit=2&cursor=\(try page.next)")
      #expect(rest.list("items").compactMap { $0["id"] as? Int } == [1])
      #expect(rest["next"] == nil)
      let first = rest.list("items")[0]["data"] as? [String: Any]
      #expect(first?["reqID"] as? String == requests[0])
      let read = try await stage.call(
        .readNotices, "{\"ids\":[1,3,99]}", by: Known.mario, .singleUser)
      #expect(read.status == 200)
      let after = try await stage.notices(of: Known.mario, .singleUser)
      #expect(after.object["unread"] as? Int == 1)
      #expect(after.list("items").map { $0["read"] as? Bool } == [true, false, true])
      #expect(try await stage.notices(of: Known.laura, .singleUser).list("items").isEmpty)
    }
  }

  @Test("the content of a notice is sealed in storage", .tags(.NFR_5))
  func sealed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      let stored = try stage.cell(
        "SELECT encode(string_agg(sealed_payload, ''), 'escape') FROM data4help.notices")
      #expect(stored?.contains("Clinic") == false)
      #expect(stored?.contains(requestID) == false)
    }
  }

  @Test("unknown kinds, and too many numbers, are refused", .tags(.NTF_1))
  func refusals() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for (endpoint, body) in [
        (Endpoint.chooseMailedNotices, "{\"kinds\":[\"weather\"]}"),
        (.chooseMailedNotices, "{}"), (.readNotices, "{}"), (.readNotices, "{\"ids\":[\"a\"]}"),
        (.readNotices, "{\"ids\":[\((0...500).map(String.init).joined(separator: ","))]}"),
      ] {
        let reply = try await stage.call(endpoint, body, by: Known.mario, .singleUser)
        #expect(reply.status == 400)
      }
      let ids = (1...500).map(String.init).joined(separator: ",")
      let most = try await stage.call(
        .readNotices, "{\"ids\":[\(ids)]}", by: Known.mario, .singleUser)
      #expect(most.status == 200)
    }
  }

  @Test(
    "a mail of notices names sender, types and deadline, in the reader's language and zone",
    .tags(.NTF_1, .NTF_3))
  func words() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      try stage.run(
        """
        UPDATE data4help.accounts SET language = 'en', time_zone = 'Asia/Tokyo'
         WHERE account_id = \(Known.mario)
        """)
      let mails = try stage.noticeMails()
      _ = try await stage.ask(by: Known.studio)
      let requestID = try await stage.ask()
      #expect(try await stage.choose("accept", requestID).status == 200)
      let body = "{\"reqID\":\"\(requestID)\"}"
      #expect(
        try await stage.call(.endByThirdParty, body, by: Known.clinic, .thirdParty).status == 200)
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 2)
      let written = try await stage.sentMails()
      let toMario = try #require(written.first { $0.to.text == Known.marioEmail })
      #expect(toMario.subject == "TrackMe: news")
      #expect(toMario.text.contains("- Studio asks for heart rate (once). Answer by "))
      #expect(toMario.text.contains(" 2026, 21:00 (Asia/Tokyo)."))
      #expect(toMario.text.contains("- The request from Clinic has ended: the company ended it."))
      #expect(!toMario.text.contains("Clinic asks"))
      let toClinic = try #require(written.first { $0.to.text == "clinic@example.com" })
      #expect(toClinic.subject == "TrackMe: novità")
      let accepted = "- Una richiesta di dati è stata accettata: frequenza cardiaca."
      #expect(toClinic.text.contains(accepted), "\(toClinic.text)")
      #expect(!toClinic.text.contains(requestID))
      let items = try await stage.notices(of: Known.mario, .singleUser).list("items")
      #expect(
        items.compactMap { $0["text"] as? String }.first
          == "The request from Clinic has ended: the company ended it.")
    }
  }

  @Test("a reader without a stream receives one mail", .tags(.NTF_1))
  func mail() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let mails = try stage.noticeMails()
      _ = try await stage.ask()
      #expect(try await stage.here { try await mails.send() } == 0)
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 1)
      #expect(try await stage.here { try await mails.send() } == 0)
      #expect(try stage.cell("SELECT count(*) FROM data4help.mails") == "1")
    }
  }

  @Test(
    "notices neither wait for an account being deleted, nor delay those of others", .tags(.NTF_1))
  func deletion() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for account in [Known.mario, Known.laura] { try await stage.store(1, for: account) }
      let mails = try stage.noticeMails()
      for email in [Known.marioEmail, Known.lauraEmail] {
        let reply = try await stage.send(
          "{\"email\":\"\(email)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
        #expect(reply.status == 200)
      }
      stage.clock.advance(seconds: 20)
      // As a deletion does before it deletes the notices.
      let deletion = try stage.installation.data.session()
      try deletion.run("BEGIN")
      _ = try deletion.rows(
        "SELECT FROM data4help.accounts WHERE account_id = $1::int8 FOR UPDATE",
        [Known.mario.description])
      #expect(try await stage.here { try await mails.send() } == 1)
      let queued = "SELECT string_agg(account_id::text, ' ') FROM data4help.mails" as StaticString
      #expect(try stage.cell(queued) == Known.laura.description)
      try deletion.run("ROLLBACK")
      #expect(try await stage.here { try await mails.send() } == 1)
    }
  }

  @Test("an unreadable email does not delay notices of others", .tags(.NTF_1))
  func damagedEmail() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      for account in [Known.mario, Known.laura] { try await stage.store(1, for: account) }
      let mails = try stage.noticeMails()
      for email in [Known.marioEmail, Known.lauraEmail] {
        _ = try await stage.send(
          "{\"email\":\"\(email)\",\"dataTypes\":[\"heartRate\"],\"subscribing\":false}")
      }
      try stage.run(
        "UPDATE data4help.accounts SET sealed_email = 'x' WHERE account_id = \(Known.mario)")
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 1)
      let queued = "SELECT string_agg(account_id::text, ' ') FROM data4help.mails" as StaticString
      #expect(try stage.cell(queued) == Known.laura.description)
    }
  }

  @Test("a notice lost with its stream is sent by mail", .tags(.NTF_1))
  func deadStream() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let mails = try stage.noticeMails()
      // The comment that opens the stream fits, an event does not.
      let stream = try await stage.open(
        .accountStream, by: Known.mario, .singleUser, bytesMax: 10)
      _ = try await stage.ask()
      await #expect(throws: BodyWriter.Failure.self) { try await stream.ended() }
      try await stage.here { await stage.events.stop() }
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 1)
    }
  }

  @Test("a notice received on a stream, read, or disabled for mail is not mailed", .tags(.NTF_1))
  func noMail() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let mails = try stage.noticeMails()
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser)
      _ = try await stage.ask()
      _ = try await stream.events(1)
      try await stage.waitUntilPushed(1)
      stream.close()
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 0)
      _ = try await stage.ask()
      let read = try await stage.call(
        .readNotices, "{\"ids\":[2]}", by: Known.mario, .singleUser)
      #expect(read.status == 200)
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 0)
      let choice = try await stage.call(
        .chooseMailedNotices, "{\"kinds\":[\"security\"]}", by: Known.mario, .singleUser)
      #expect(choice.status == 200)
      _ = try await stage.ask()
      stage.clock.advance(seconds: 20)
      #expect(try await stage.here { try await mails.send() } == 0)
      let page = try await stage.notices(of: Known.mario, .singleUser)
      #expect(page.object["mail"] as? [String] == ["security"])
    }
  }
}
