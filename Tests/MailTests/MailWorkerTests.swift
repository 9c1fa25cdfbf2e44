import Bytes
import Cryptography
import EventLoop
import Foundation
import Mail
import Operations
import Postgres
import PostgresFixture
import Requirements
import Support
import Synchronization
import Testing

/// Holds mails until they are called back or released; interrupts those not received completely.
private final class HeldTransport: MailTransport {
  private let state = Mutex((begun: 0, isReleased: false, ended: [String]()))
  private let loop: EventLoop
  private let hasAll: Bool
  private let holds: @Sendable (String) -> Bool

  init(
    on loop: EventLoop, hasAll: Bool = false,
    where holds: @escaping @Sendable (String) -> Bool = { _ in true }
  ) {
    self.loop = loop
    self.hasAll = hasAll
    self.holds = holds
  }

  var ended: [String] { state.withLock { $0.ended } }

  func send(_ mail: MailMessage) async throws(MailError) {}

  func send(_ mail: MailMessage, unless revocation: MailRevocation) async throws(MailError) {
    state.withLock { $0.begun += 1 }
    while holds(mail.text), !state.withLock({ $0.isReleased }) {
      if revocation.isMade { throw end(mail, "called back", .calledBack) }
      if revocation.isBrokenOff, !hasAll { throw end(mail, "broken off", .stopped) }
      await pause()
    }
    state.withLock { $0.ended.append("\(mail.text): sent") }
  }

  private func end(_ mail: MailMessage, _ word: String, _ failure: MailFailure) -> MailError {
    state.withLock { $0.ended.append("\(mail.text): \(word)") }
    return .temporary(failure)
  }

  /// Waits until this number of mails is in transit.
  func begun(_ count: Int) async throws {
    try await eventually("\(count) mails in transit", every: .milliseconds(2)) {
      state.withLock { $0.begun } >= count
    }
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

@Suite("The mail worker")
struct MailWorkerTests {
  @Test("revoking a mail in transit returns after its end, and ends no other mail")
  func calledBack() async throws {
    try await MailQueueStage.with { stage in
      let transport = HeldTransport(on: stage.loop)
      let worker = stage.worker(transport)
      let request = UniversalID.random()
      try await stage.enqueue(
        try MailQueueStage.mail("meant"), of: MailOwner(account: nil, request: request))
      try await stage.enqueue(
        try MailQueueStage.mail("other"), of: MailOwner(account: nil, request: .random()))
      let sending = Task(executorPreference: stage.loop) { try await worker.sendDue() }
      try await transport.begun(2)
      await worker.callBack { $0.request == request }
      #expect(transport.ended == ["meant: called back"])
      transport.release()
      try await sending.value
      #expect(transport.ended == ["meant: called back", "other: sent"])
      // Its row still exists: the caller of a revocation removes it, otherwise the mail is retried.
      let left = try stage.test.session().rows(
        "SELECT attempts, last_error FROM data4help.mails WHERE sent_at IS NULL")
      #expect(left == [["0", "called back"]])
    }
  }

  @Test("a slow server delays no other mail, and each result is recorded at once")
  func slow() async throws {
    try await MailQueueStage.with { stage in
      for text in ["one", "slow", "two", "three"] {
        try await stage.enqueue(try MailQueueStage.mail(text))
      }
      let transport = HeldTransport(on: stage.loop) { $0 == "slow" }
      let worker = stage.worker(transport)
      worker.start()
      try await stage.waitUntilSent(3)
      try await transport.begun(4)
      try await stage.enqueue(try MailQueueStage.mail("four"))
      try await stage.waitUntilSent(4)
      #expect(!transport.ended.contains("slow: sent"))
      transport.release()
      await worker.stop(within: .seconds(60))
      try await stage.waitUntilSent(5)
    }
  }

  @Test(
    "a stop interrupts mails that the server has not fully received, and requeues them at once")
  func stopped() async throws {
    try await MailQueueStage.with { stage in
      try await stage.enqueue(try MailQueueStage.mail())
      let transport = HeldTransport(on: stage.loop)
      let worker = stage.worker(transport)
      worker.start()
      try await transport.begun(1)
      await worker.stop(within: .seconds(60))
      #expect(transport.ended == ["Text.: broken off"])
      #expect(try stage.state().first??.hasPrefix("0 false false") == true)
      let other = ScriptedTransport(nil)
      try await stage.worker(other).sendDue()
      #expect(other.attempts.count == 1)
    }
  }

  @Test("a stop waits for the answer to a completely received mail, up to its limit")
  func stoppedLate() async throws {
    try await MailQueueStage.with { stage in
      try await stage.enqueue(try MailQueueStage.mail())
      let transport = HeldTransport(on: stage.loop, hasAll: true)
      let worker = stage.worker(transport)
      worker.start()
      try await transport.begun(1)
      await worker.stop(within: .milliseconds(50))
      #expect(transport.ended.isEmpty)
      // It stays leased, because a retry at this time would deliver it twice.
      let other = ScriptedTransport(nil)
      try await stage.worker(other).sendDue()
      #expect(other.attempts.isEmpty)
      transport.release()
      try await stage.waitUntilSent(1)
    }
  }

  @Test("a worker called outside its loop stops the program")
  func confined() async {
    await #expect(processExitsWith: .failure) {
      let loop = try EventLoop.start(name: "mail")
      let settings = DatabaseSettings(url: "postgresql://127.0.0.1", applicationName: "test")
      let worker = MailWorker(
        queue: MailQueue(root: .random(), wakeUp: WakeUpSignal(), on: loop),
        database: Database(settings, on: loop), transport: ScriptedTransport(nil),
        environment: .system,
        log: .none)
      await worker.callBack { _ in true }
    }
  }
}
