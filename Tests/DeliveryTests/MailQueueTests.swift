import Delivery
import EventLoop
import Foundation
import Operations
import Postgres
import PostgresFixture
import Privacy
import Requirements
import Synchronization
import Testing

/// Answers each attempt as told, and remembers what it was asked to send.
private final class ScriptedTransport: MailTransport {
  private struct State {
    var answers: [MailError?]
    var sent: [MailMessage] = []
    var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// The last answer is given again and again.
  init(_ answers: MailError?...) { state = Mutex(State(answers: answers)) }

  var attempts: [MailMessage] { state.withLock { $0.sent } }

  func send(_ mail: MailMessage) async throws(MailError) {
    let answer: MailError? = state.withLock { state in
      state.sent.append(mail)
      for waiter in state.waiters where waiter.count <= state.sent.count { waiter.1.resume() }
      state.waiters.removeAll { $0.count <= state.sent.count }
      return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
    }
    if let answer { throw answer }
  }

  /// Returns once so many attempts were made.
  func attempted(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sent.count >= count { return true }
        state.waiters.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }
}

/// Holds every mail until it is called back or released.
private final class HeldTransport: MailTransport {
  private let state = Mutex((begun: 0, isReleased: false, ended: [String]()))
  private let loop: EventLoop

  init(on loop: EventLoop) { self.loop = loop }

  var ended: [String] { state.withLock { $0.ended } }

  func send(_ mail: MailMessage) async throws(MailError) {}

  func send(_ mail: MailMessage, unless recall: MailRecall) async throws(MailError) {
    state.withLock { $0.begun += 1 }
    while !recall.isMade, !state.withLock({ $0.isReleased }) { await pause() }
    let outcome = recall.isMade ? "called back" : "sent"
    state.withLock { $0.ended.append("\(mail.text): \(outcome)") }
    if recall.isMade { throw .temporary(.calledBack) }
  }

  func begun(_ count: Int) async {
    while state.withLock({ $0.begun }) < count { await pause() }
  }

  private func pause() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      loop.execute { [loop] in
        _ = loop.schedule(after: .milliseconds(2)) { continuation.resume() }
      }
    }
  }

  func release() { state.withLock { $0.isReleased = true } }
}

@Suite("The mail queue")
struct MailQueueTests {
  private final class Stage: Sendable {
    let test: TestDatabase
    let loop: EventLoop
    let database: Database
    let queue: MailQueue
    let time = Mutex(WallTime(microsecondsSince1970: 1_795_000_000_000_000))

    init(_ test: TestDatabase, on loop: EventLoop) {
      self.test = test
      self.loop = loop
      database = Database(test.settings(as: "data4help"), on: loop)
      queue = MailQueue(root: .random(), bell: Bell(), on: loop)
    }

    func worker(
      _ transport: any MailTransport, metrics: Metrics = Metrics(),
      mayLeave: @escaping (MailTies, MonotonicInstant) -> Bool = { _, _ in true }
    ) -> MailWorker {
      var world = World.system
      world.now = { [self] in time.withLock { $0 } }
      return MailWorker(
        queue: queue, database: database, transport: transport, world: world, log: .none,
        metrics: metrics, mayLeave: mayLeave)
    }

    func enqueue(
      _ mail: MailMessage, of ties: MailTies = MailTies(account: nil), failing: Bool = false
    ) async throws {
      do throws(PostgresError) {
        try await database.transaction { transaction throws(PostgresError) in
          try await queue.enqueue(mail, of: ties, in: transaction)
          if failing { throw .closed }
        }
      } catch {
        guard failing else { throw error }
      }
      queue.announce()
    }

    func advance(by duration: Duration) { time.withLock { $0 = $0 + duration } }

    func state() throws -> [String?] {
      try test.session().rows(
        """
        SELECT attempts || ' ' || (sent_at IS NOT NULL) || ' ' || (failed_at IS NOT NULL) || ' '
               || length(sealed_message) || ' ' || coalesce(last_error, '-')
          FROM data4help.mails
        """
      ).first ?? []
    }
  }

  private func withStage(
    _ body: @escaping @Sendable (Stage) async throws -> Void
  ) async throws {
    try await TestDatabase.with { test in
      let loop = try EventLoop.start(name: "mail")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let stage = Stage(test, on: loop)
        defer { stage.database.close() }
        try await body(stage)
      }.value
    }
  }

  @Test("mails that were sent, have failed or wait are counted, and nothing of whose they are")
  func metrics() async throws {
    try await withStage { stage in
      let metrics = Metrics()
      for _ in 0..<3 { try await stage.enqueue(old()) }
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

  private func old(
    _ text: String = "Text.", attachment: MailAttachment? = nil
  ) throws -> MailMessage {
    MailMessage(
      id: .random(), writtenAt: WallTime(microsecondsSince1970: 1_794_999_999_000_000),
      from: try #require(MailAddress("trackme@example.org")),
      to: try #require(MailAddress("anna@example.org")), subject: "S", text: text,
      attachment: attachment)
  }

  @Test("a file of 1 MiB passes the queue as it is", .tags(.R24))
  func attachment() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(nil)
      let worker = stage.worker(transport)
      worker.start()
      let bytes = (0..<MailAttachment.bytesMax).map { UInt8(truncatingIfNeeded: $0 * 31) }
      let file = try #require(MailAttachment(name: "a", contentType: "b/c", bytes: bytes))
      let mail = try old(attachment: file)
      try await stage.enqueue(mail)
      await transport.attempted(1)
      await worker.stop()
      #expect(transport.attempts == [mail])
    }
  }

  @Test("a mail queued by a transaction that commits is sent at once, and emptied")
  func sent() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(nil)
      let worker = stage.worker(transport)
      worker.start()
      let mail = try old()
      try await stage.enqueue(mail)
      await transport.attempted(1)
      await worker.stop()
      #expect(transport.attempts == [mail])
      #expect(try stage.state() == ["1 true false 0 -"])
    }
  }

  @Test("a mail of a transaction that rolls back does not exist")
  func rolledBack() async throws {
    try await withStage { stage in
      try await stage.enqueue(try old(), failing: true)
      #expect(try stage.state().isEmpty)
    }
  }

  @Test("what may be taken later is tried again with the same Message-ID")
  func retried() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(.temporary(.reply(451)), nil)
      try await stage.enqueue(try old())
      let worker = stage.worker(transport)
      try await worker.sendDue()
      #expect(try stage.state().first??.hasPrefix("1 false false") == true)
      #expect(try stage.state().first??.hasSuffix("SMTP reply 451") == true)
      stage.advance(by: .milliseconds(7999))
      try await worker.sendDue()
      #expect(transport.attempts.count == 1)
      stage.advance(by: .seconds(5))
      try await worker.sendDue()
      #expect(Set(transport.attempts.map(\.messageID)).count == 1)
      #expect(try stage.state() == ["2 true false 0 SMTP reply 451"])
    }
  }

  @Test("what is refused for good is not tried again")
  func refused() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(.permanent(.reply(550)))
      try await stage.enqueue(try old())
      try await stage.worker(transport).sendDue()
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.count == 1)
      #expect(try stage.state() == ["1 false true 0 SMTP reply 550"])
    }
  }

  @Test("after the eighth attempt it has failed")
  func exhausted() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(.temporary(.reply(451)))
      try await stage.enqueue(try old())
      for attempt in 1...8 {
        #expect(try stage.state().first??.hasPrefix("\(attempt - 1) false false") == true)
        try await stage.worker(transport).sendDue()
        if attempt < 8 { stage.advance(by: .seconds(86_400 * 6 / 5)) }
      }
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.count == 8)
      #expect(try stage.state() == ["8 false true 0 SMTP reply 451"])
    }
  }

  @Test("two workers send each mail once")
  func shared() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(nil)
      for _ in 0..<20 { try await stage.enqueue(try old()) }
      let workers = [stage.worker(transport), stage.worker(transport)]
      for worker in workers { worker.start() }
      await transport.attempted(20)
      for worker in workers { await worker.stop() }
      #expect(transport.attempts.count == 20)
      #expect(Set(transport.attempts.map(\.id)).count == 20)
    }
  }

  @Test("a mail whose worker died is sent by another after the lease")
  func leaseRunsOut() async throws {
    try await withStage { stage in
      try await stage.enqueue(try old())
      try stage.test.run(
        "UPDATE data4help.mails SET attempts = 1, leased_until = '2026-11-18T11:10:00Z'")
      let transport = ScriptedTransport(nil)
      try await stage.worker(transport).sendDue()
      #expect(transport.attempts.isEmpty)
      stage.advance(by: .seconds(200))
      try await stage.worker(transport).sendDue()
      #expect(try stage.state() == ["2 true false 0 -"])
    }
  }

  @Test("a mail on its way that is called back has ended when that returns, and no other has")
  func calledBack() async throws {
    try await withStage { stage in
      let transport = HeldTransport(on: stage.loop)
      let worker = stage.worker(transport)
      let request = UniversalID.random()
      try await stage.enqueue(
        try old("meant"), of: MailTies(account: nil, request: request))
      try await stage.enqueue(
        try old("other"), of: MailTies(account: nil, request: .random()))
      let sending = Task(executorPreference: stage.loop) { try await worker.sendDue() }
      await transport.begun(2)
      await worker.callBack { $0.request == request }
      #expect(transport.ended == ["meant: called back"])
      transport.release()
      try await sending.value
      #expect(transport.ended == ["meant: called back", "other: sent"])
      // Its row was still there: whoever calls back removes it, or it is tried again.
      let left = try stage.test.session().rows(
        "SELECT last_error FROM data4help.mails WHERE sent_at IS NULL")
      #expect(left == [["called back"]])
    }
  }

  @Test("a mail that may not leave is not handed over")
  func refusedLeave() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(nil)
      try await stage.enqueue(try old(), of: MailTies(account: nil, request: .random()))
      try await stage.enqueue(try old())
      try await stage.worker(transport) { ties, _ in ties.request == nil }.sendDue()
      #expect(transport.attempts.count == 1)
    }
  }

  @Test("a mail that was sent is forgotten after a day")
  func forgotten() async throws {
    try await withStage { stage in
      let transport = ScriptedTransport(nil)
      try await stage.enqueue(try old())
      for (pause, left) in [(0, 1), (86_399, 1), (1, 0)] {
        stage.advance(by: .seconds(pause))
        try await stage.worker(transport).sendDue()
        #expect(try stage.state().count == left)
      }
    }
  }

  @Test("nothing of a waiting mail can be read in the database", .tags(.NFR_5))
  func sealed() async throws {
    try await withStage { stage in
      try await stage.enqueue(try old("canary"))
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
    let mail = try old()
    try await folder.send(mail)
    try await folder.send(mail)
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["\(mail.id).eml"])
    let bytes = try #require(FileManager.default.contents(atPath: path + "/\(mail.id).eml"))
    #expect([UInt8](bytes) == mail.rendered)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o700)
  }
}
