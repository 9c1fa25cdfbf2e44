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
import Time

/// Returns the scripted result of each attempt, and records the mails.
final class ScriptedTransport: MailTransport {
  private struct State {
    var answers: [MailError?]
    var sent: [MailMessage] = []
    var waiters: [(count: Int, CheckedContinuation<Void, Never>)] = []
  }

  private let state: Mutex<State>

  /// The last result is repeated.
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

  /// Returns once this number of attempts was made.
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

/// A mail queue on its own database and loop, with a manual clock.
final class MailQueueStage: Sendable {
  let test: TestDatabase
  let loop: EventLoop
  let database: Database
  let queue: MailQueue
  let clock = ManualClock(Instant(microsecondsSince1970: 1_795_000_000_000_000))

  init(_ test: TestDatabase, on loop: EventLoop) {
    self.test = test
    self.loop = loop
    database = Database(test.settings(as: "data4help"), on: loop)
    queue = MailQueue(root: .random(), wakeUp: WakeUpSignal(), on: loop)
  }

  func worker(
    _ transport: any MailTransport, metrics: Metrics = Metrics(),
    mayLeave: @escaping (MailOwner, MonotonicInstant) -> Bool = { _, _ in true }
  ) -> MailWorker {
    return MailWorker(
      queue: queue, database: database, transport: transport, environment: clock.environment,
      log: .none,
      metrics: metrics, mayLeave: mayLeave)
  }

  func enqueue(
    _ mail: MailMessage, of owner: MailOwner = MailOwner(account: nil), failing: Bool = false
  ) async throws {
    do throws(PostgresError) {
      try await database.transaction { transaction throws(PostgresError) in
        try await queue.enqueue(mail, of: owner, in: transaction)
        if failing { throw .closed }
      }
    } catch {
      guard failing else { throw error }
    }
    queue.announce()
  }

  /// Returns once this number of mails is recorded as sent.
  func waitUntilSent(_ count: Int) async throws {
    try await eventually("\(count) sent mails", within: .seconds(120), every: .milliseconds(5)) {
      let sent = try test.session().rows(
        "SELECT count(*) FROM data4help.mails WHERE sent_at IS NOT NULL")
      return sent == [[count.description]]
    }
  }

  func state() throws -> [String?] {
    try test.session().rows(
      """
      SELECT attempts || ' ' || (sent_at IS NOT NULL) || ' ' || (failed_at IS NOT NULL) || ' '
             || length(sealed_message) || ' ' || coalesce(last_error, '-')
        FROM data4help.mails
      """
    ).first ?? []
  }

  /// Runs `body` on the loop of a stage.
  static func with(
    _ body: @escaping @Sendable (MailQueueStage) async throws -> Void
  ) async throws {
    try await TestDatabase.with { test in
      let loop = try EventLoop.start(name: "mail")
      defer { loop.stop() }
      try await Task(executorPreference: loop) {
        let stage = MailQueueStage(test, on: loop)
        defer { stage.database.close() }
        try await body(stage)
      }.value
    }
  }

  /// A mail written one second ago.
  static func mail(
    _ text: String = "Text.", attachment: MailAttachment? = nil
  ) throws -> MailMessage {
    MailMessage(
      id: .random(), writtenAt: Instant(microsecondsSince1970: 1_794_999_999_000_000),
      from: try #require(MailAddress("trackme@example.org")),
      to: try #require(MailAddress("anna@example.org")), subject: "S", text: text,
      attachment: attachment)
  }
}
