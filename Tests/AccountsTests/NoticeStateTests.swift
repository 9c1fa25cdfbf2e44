import Accounts
import Data4Help
import Data4HelpFixture
import Domain
import Foundation
import Mail
import PublicAPI
import Requirements
import Testing

@Suite("Notices about changed requests")
struct NoticeStateTests {
  /// The outcome of a request before its mail.
  enum Outcome: CaseIterable {
    case accepted, declined, expired, companyDeleted, withdrawn
  }

  @Test(
    "no mail and no text requests an answer that was sent or is too late",
    .tags(.NTF_1, .NTF_3), arguments: Outcome.allCases)
  func answered(outcome: Outcome) async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let mails = try stage.noticeMails()
      let requestID =
        try await outcome == .withdrawn ? stage.checkInMario() : stage.ask()
      let before = try await stage.newestNotice(of: Known.mario)
      #expect((before["text"] as? String)?.contains("Rispondi entro il ") == true)
      switch outcome {
      case .accepted: #expect(try await stage.choose("accept", requestID).status == 200)
      case .declined: #expect(try await stage.choose("decline", requestID).status == 200)
      // The worker may not have expired it yet.
      case .expired: stage.clock.advance(seconds: 259_200)
      case .companyDeleted: try await stage.delete(Known.clinic)
      case .withdrawn: #expect(try await stage.withdraw([requestID]).status == 200)
      }
      stage.clock.advance(seconds: 20)
      _ = try await stage.here { try await mails.send() }
      #expect(try await !stage.sentMails().map(\.to.text).contains(Known.marioEmail))
      let after = try await stage.newestNotice(of: Known.mario)
      #expect((after["text"] as? String)?.contains("Rispondi") == false)
      #expect((after["data"] as? [String: Any])?["reqID"] as? String == requestID)
    }
  }

  @Test("a request accepted in advance is mailed, whatever its later state", .tags(.REQ_3))
  func acceptedInAdvance() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let mails = try stage.noticeMails()
      let listed = try await stage.call(
        .choosePreconfirmed, "{\"piva\":\"12345670157\",\"allowed\":true}", by: Known.mario,
        .singleUser)
      #expect(listed.status == 200)
      let requestID = try await stage.ask()
      #expect(try await stage.endByPerson(requestID).status == 200)
      stage.clock.advance(seconds: 20)
      _ = try await stage.here { try await mails.send() }
      let mail = try #require(
        try await stage.sentMails().first { $0.to.text == Known.marioEmail })
      let line = mail.text.split(separator: "\n").first { $0.hasPrefix("- Clinic ha chiesto ") }
      #expect(line?.hasSuffix("; l'avevi accettato in anticipo.") == true, "\(mail.text)")
    }
  }

  @Test("a notice of a request follows the name of its company, and its run's", .tags(.NTF_3))
  func renamed() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      _ = try await stage.checkInMario()
      _ = try await stage.ask()
      try await stage.rename(Known.clinic, to: "New Clinic")
      #expect(try await stage.checkIn(stage.batch([], named: "Giro” grande")) == [])
      let notified = try await stage.noticeData(Known.mario, .singleUser)
      #expect(notified.map { $0["company_name"] as? String } == ["New Clinic", "New Clinic"])
      #expect(notified.map { $0["runName"] as? String } == [nil, "Giro” grande"])
      let texts = try await stage.notices(of: Known.mario, .singleUser).list("items")
        .compactMap { $0["text"] as? String }
      #expect(texts.first?.hasPrefix("New Clinic chiede frequenza cardiaca ") == true)
      // Our own sentence comes first, and the run's name can't end its quotation.
      #expect(texts.last?.hasPrefix("Se accetti, l'azienda vede il tuo nome, ") == true)
      #expect(texts.last?.contains("alla corsa “Giro' grande” (codice ABCDEFGH)") == true)
    }
  }

  @Test("notices, lists and streams contain nothing of a deleted company", .tags(.ACC_8))
  func deletedCompany() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populate()
      try await stage.store(1)
      let requestID = try await stage.ask()
      #expect(try await stage.choose("accept", requestID).status == 200)
      try await stage.delete(Known.clinic)
      let list = try await stage.notices(of: Known.mario, .singleUser)
      let notified = try await stage.noticeData(Known.mario, .singleUser)
      #expect(notified.last?["company_name"] as? String == "deleted account")
      #expect(notified.last?["status"] as? String == "ended")
      #expect(notified.last?["dataTypes"] as? [String] == ["heartRate"])
      #expect(notified.last?["email"] == nil && notified.last?["piva"] == nil)
      let stream = try await stage.open(.accountStream, by: Known.mario, .singleUser, after: 0)
      let events = try await stream.events(2)
      stream.close()
      #expect(events.map(\.name) == ["request", "ended"])
      #expect(events[0].data["company_name"] as? String == "deleted account")
      #expect(events[0].data["email"] == nil && events[0].data["piva"] == nil)
      for word in ["Clinic", "clinic@example.com", "12345670157"] {
        #expect(!list.text.contains(word))
      }
    }
  }

  @Test("only the newest alarm of an emergency is mailed, once", .tags(.NTF_1))
  func newestAlarm() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let mails = try stage.noticeMails()
      _ = try await stage.calledEmergency()
      // Only the warning has waited long enough.
      stage.clock.advance(seconds: 15)
      _ = try await stage.here { try await mails.send() }
      stage.clock.advance(seconds: 20)
      _ = try await stage.here { try await mails.send() }
      let texts = try await stage.sentMails().filter { $0.to.text == Known.marioEmail }.map(\.text)
      #expect(texts.count == 1)
      #expect(texts.first?.contains("- Emergenza: i soccorsi vengono chiamati.") == true)
      #expect(texts.first?.contains("annullarla") == false)
    }
  }

  @Test(
    "an alarm shows the remaining time to abort to the second, until it ends", .tags(.NTF_1, .NTF_3)
  )
  func timeToAbort() async throws {
    try await SingleRequestStage.with { stage in
      try await stage.populateEmergencies()
      let mails = try stage.noticeMails()
      try await stage.measure("131")
      #expect(try await stage.stages(1) == ["suspected"])
      let warning = try await stage.newestNotice(of: Known.mario)
      #expect(
        (warning["text"] as? String)?.hasPrefix(
          "Emergenza: puoi annullarla entro il 18 novembre 2026, 12:00:05 (") == true)
      stage.clock.advance(seconds: 20)
      _ = try await stage.here { try await mails.send() }
      let mail = try #require(
        try await stage.sentMails().first { $0.to.text == Known.marioEmail })
      #expect(mail.text.contains("- Emergenza: era sospetta, e finora nulla l'ha confermata."))
    }
  }
}

extension SingleRequestStage {
  /// The newest notice of a person.
  fileprivate func newestNotice(of person: AccountID) async throws -> [String: Any] {
    try #require(try await notices(of: person, .singleUser, "limit=1").list("items").first)
  }

  /// Deletes an account, as its owner.
  fileprivate func delete(_ account: AccountID) async throws {
    let parts = parts
    try await here { try await AccountDeletion(parts.sharing).delete(account) }
  }
}
