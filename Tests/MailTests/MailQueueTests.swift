import Bytes
import Cryptography
import Foundation
import Mail
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Synchronization
import Testing

@Suite("The mail queue")
struct MailQueueTests {
  @Test("sent, failed and waiting mails are counted without personal data")
  func metrics() async throws {
    try await MailQueueStage.with { stage in
      let metrics = Metrics()
      for _ in 0..<3 { try await stage.enqueue(MailQueueStage.mail()) }
      let failure = MailError.permanent(.unreadable)
      let transport = ScriptedTransport(nil, failure, .temporary(.unreadable))
      let worker = stage.worker(transport, metrics: metrics)
      try await worker.sendDue()
      let text = metrics.text()
      for line in ["mail_sent_total 1", "mail_failed_total 1", "mail_waiting 1"] {
        #expect(text.contains("\ntrackme_\(line)\n"), "\(text)")
      }
      #expect(!text.contains("@"))
    }
  }

  @Test("a file of 1 MiB passes the queue unchanged", .tags(.R24))
  func attachment() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(nil)
      let worker = stage.worker(transport)
      worker.start()
      let bytes = (0..<MailAttachment.bytesMax).map { UInt8(truncatingIfNeeded: $0 * 31) }
      let file = try #require(MailAttachment(name: "a", contentType: "b/c", bytes: bytes))
      let mail = try MailQueueStage.mail(attachment: file)
      try await stage.enqueue(mail)
      await transport.attempted(1)
      await worker.stop(within: .seconds(60))
      #expect(transport.attempts == [mail])
    }
  }

  @Test("a mail queued by a committed transaction is sent at once, and its content is erased")
  func sent() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(nil)
      let worker = stage.worker(transport)
      worker.start()
      let mail = try MailQueueStage.mail()
      try await stage.enqueue(mail)
      await transport.attempted(1)
      await worker.stop(within: .seconds(60))
      #expect(transport.attempts == [mail])
      #expect(try stage.state() == ["1 true false 0 -"])
    }
  }

  @Test("a mail of a transaction that rolls back does not exist")
  func rolledBack() async throws {
    try await MailQueueStage.with { stage in
      try await stage.enqueue(try MailQueueStage.mail(), failing: true)
      #expect(try stage.state().isEmpty)
    }
  }

  @Test("a temporary failure is retried with the same Message-ID")
  func retried() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(.temporary(.reply(451)), nil)
      try await stage.enqueue(try MailQueueStage.mail())
      let worker = stage.worker(transport)
      try await worker.sendDue()
      #expect(try stage.state().first??.hasPrefix("1 false false") == true)
      #expect(try stage.state().first??.hasSuffix("SMTP reply 451") == true)
      stage.clock.advance(by: .milliseconds(7999))
      try await worker.sendDue()
      #expect(transport.attempts.count == 1)
      stage.clock.advance(by: .seconds(5))
      try await worker.sendDue()
      #expect(Set(transport.attempts.map(\.messageID)).count == 1)
      #expect(try stage.state() == ["2 true false 0 SMTP reply 451"])
    }
  }

  @Test("a permanent failure is not retried")
  func refused() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(.permanent(.reply(550)))
      try await stage.enqueue(try MailQueueStage.mail())
      try await stage.worker(transport).sendDue()
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.count == 1)
      #expect(try stage.state() == ["1 false true 0 SMTP reply 550"])
    }
  }

  @Test("a mail fails after the eighth attempt")
  func exhausted() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(.temporary(.reply(451)))
      try await stage.enqueue(try MailQueueStage.mail())
      for attempt in 1...8 {
        #expect(try stage.state().first??.hasPrefix("\(attempt - 1) false false") == true)
        try await stage.worker(transport).sendDue()
        if attempt < 8 { stage.clock.advance(by: .seconds(86_400 * 6 / 5)) }
      }
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.count == 8)
      #expect(try stage.state() == ["8 false true 0 SMTP reply 451"])
    }
  }

  @Test("two workers send each mail once")
  func shared() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(nil)
      for _ in 0..<20 { try await stage.enqueue(try MailQueueStage.mail()) }
      let workers = [stage.worker(transport), stage.worker(transport)]
      for worker in workers { worker.start() }
      await transport.attempted(20)
      for worker in workers { await worker.stop(within: .seconds(60)) }
      #expect(transport.attempts.count == 20)
      #expect(Set(transport.attempts.map(\.id)).count == 20)
    }
  }

  @Test("a mail whose worker died is sent by another after the lease")
  func leaseRunsOut() async throws {
    try await MailQueueStage.with { stage in
      try await stage.enqueue(try MailQueueStage.mail())
      try stage.test.run(
        "UPDATE data4help.mails SET attempts = 1, leased_until = '2026-11-18T11:10:00Z'")
      let transport = ScriptedTransport(nil)
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.isEmpty)
      stage.clock.advance(by: .seconds(200))
      try await stage.worker(transport).sendDue()
      #expect(try stage.state() == ["2 true false 0 -"])
    }
  }

  @Test("a revoked mail is not sent")
  func refusedLeave() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(nil)
      try await stage.enqueue(
        try MailQueueStage.mail(), of: MailOwner(account: nil, request: .random()))
      try await stage.enqueue(try MailQueueStage.mail())
      try await stage.worker(transport) { owner, _ in owner.request == nil }.sendDue()
      #expect(transport.attempts.count == 1)
    }
  }

  @Test("a sent mail is deleted after a day")
  func forgotten() async throws {
    try await MailQueueStage.with { stage in
      let transport = ScriptedTransport(nil)
      try await stage.enqueue(try MailQueueStage.mail())
      for (pause, left) in [(0, 1), (86_399, 1), (1, 0)] {
        stage.clock.advance(by: .seconds(pause))
        try await stage.worker(transport).sendDue()
        #expect(try stage.state().count == left)
      }
    }
  }

  @Test("a waiting mail is unreadable in the database", .tags(.NFR_5))
  func sealed() async throws {
    try await MailQueueStage.with { stage in
      try await stage.enqueue(try MailQueueStage.mail("canary"))
      let stored = try stage.test.session().rows("SELECT mails::text FROM data4help.mails")
      let text = try #require(stored.first?.first ?? nil)
      for word in ["canary", "anna"] {
        #expect(!text.contains(Hexadecimal.encode(word.utf8.span)))
        #expect(!text.contains(word))
      }
    }
  }

  @Test("without a mail server, mails are files that a repeated attempt overwrites")
  func folder() async throws {
    let path = FileManager.default.temporaryDirectory.path + "/mail-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: path) }
    let folder = try MailFolder(path: path)
    let mail = try MailQueueStage.mail()
    try await folder.send(mail)
    try await folder.send(mail)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["\(mail.id).eml"])
    let bytes = try #require(FileManager.default.contents(atPath: path + "/\(mail.id).eml"))
    #expect([UInt8](bytes) == mail.rendered)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }
}
