import Bytes
import EventLoop
import Operations
import Postgres
import Time

/// Sends queued mails. Each process has one worker on one loop; all processes share the queue.
///
/// A few mails are sent at a time. A mail is leased for five minutes when a slot is free, and its
/// result is recorded as soon as it ends, independently of slower mails. Temporary failures are
/// retried on the schedule, permanent ones are not. Code that removes a mail from the queue must
/// also call it back here, because it may already be in transit.
// SAFETY: confined to its loop, which every entry point asserts.
package final class MailWorker: @unchecked Sendable {
  /// How long a leased mail belongs to its worker.
  package static let lease = Duration.seconds(300)
  /// The part of the lease reserved for recording the result after the longest conversation.
  package static let notingMax = Duration.seconds(30)
  /// The polling interval of the worker without a wake-up.
  static let rest = Duration.seconds(5)
  /// How long a sent or failed mail is kept in the table.
  static let keptFor = Duration.seconds(86_400)

  private let queue: MailQueue
  private let database: Database
  private let transport: any MailTransport
  private let schedule: RetrySchedule
  private let environment: Environment
  private let log: Log
  private let metrics: MailMetrics
  private let mayLeave: (MailOwner, _ leasedAt: MonotonicInstant) -> Bool
  private var underWay: [UniversalID: (owner: MailOwner, revocation: MailRevocation)] = [:]
  /// Mails that are in transit, about to be leased, or whose result is being recorded.
  private var claimedCount = 0
  private var isStopping = false
  private var isOutOfTime = false
  private var waitingForChange: [CheckedContinuation<Void, Never>] = []
  private var work: PeriodicTask?

  /// A worker on the queue's loop that sends the mails of this database by `transport`.
  ///
  /// `mayLeave` is called on the loop before each mail, with the time before the mail was read. It
  /// returns false if the mail was called back since then.
  package init(
    queue: MailQueue, database: Database, transport: any MailTransport,
    schedule: RetrySchedule = .mail, environment: Environment, log: Log,
    metrics: Metrics = Metrics(),
    mayLeave: @escaping (MailOwner, _ leasedAt: MonotonicInstant) -> Bool = { _, _ in true }
  ) {
    self.queue = queue
    self.database = database
    self.transport = transport
    self.schedule = schedule
    self.environment = environment
    self.log = log
    self.metrics = MailMetrics(metrics)
    self.mayLeave = mayLeave
  }

  private var loop: EventLoop { queue.key.loop }

  /// Starts the worker. On the loop, once.
  package func start() {
    loop.assertCurrent()
    let work = PeriodicTask(on: loop) { [weak self] in await self?.turn() ?? Self.rest }
    self.work = work
    queue.wakeUp.onSignal { work.wake() }
    work.start()
  }

  /// Stops the worker. Interrupts the mails that the server has not completely received, and waits
  /// up to `time` for the answers to the others. On the loop.
  ///
  /// An interrupted mail is due at once for any other process. A mail without an answer stays
  /// leased, because its server may still accept it.
  package func stop(within time: Duration) async {
    loop.assertCurrent()
    isStopping = true
    for (_, revocation) in underWay.values { revocation.breakOff() }
    let timer = loop.schedule(after: time) { [self] in
      isOutOfTime = true
      notifyOfChange()
    }
    defer { timer.cancel() }
    await work?.stop()
    while claimedCount > 0, !isOutOfTime {
      await withCheckedContinuation { waitingForChange.append($0) }
    }
    guard claimedCount > 0 else { return }
    log.warning("mails without an answer are sent again", [.number("count", claimedCount)])
  }

  /// Interrupts the mails in transit with matching owners and returns once none is left. On the
  /// loop.
  package func callBack(where isMeant: (MailOwner) -> Bool) async {
    loop.assertCurrent()
    let meant = underWay.filter { isMeant($0.value.owner) }
    for (_, revocation) in meant.values { revocation.make() }
    while meant.keys.contains(where: { underWay[$0] != nil }) {
      await withCheckedContinuation { waitingForChange.append($0) }
    }
  }

  /// Sends all mails that are due and deletes those sent more than a day ago. Returns when no mail
  /// is in transit. On the loop.
  ///
  /// Throws the database's error.
  package func sendDue() async throws(PostgresError) {
    loop.assertCurrent()
    while true {
      if let count = try await claim() {
        if count > 0 { continue }
        if claimedCount == 0 { break }
      }
      await withCheckedContinuation { waitingForChange.append($0) }
    }
    try await tidy()
  }

  private func turn() async -> Duration {
    do throws(PostgresError) {
      // Without a free slot, the end of a mail wakes this loop.
      guard let count = try await claim() else { return Self.rest }
      guard count == 0 else { return .zero }
      try await tidy()
    } catch {
      log.failure("read mail queue failed", error, level: .warning)
    }
    return Self.rest
  }

  private func tidy() async throws(PostgresError) {
    let (_, waiting) = try await database.write(
      ForgetMails(before: environment.now() - Self.keptFor), CountWaitingMails())
    metrics.waiting.set(waiting.first ?? 0)
  }

  /// Starts as many mails as there are free slots. Returns how many were due; nil without a free
  /// slot.
  private func claim() async throws(PostgresError) -> Int? {
    guard !isStopping else { return 0 }
    let free = SMTPTransport.parallelMax - claimedCount
    guard free > 0 else { return nil }
    claimedCount += free
    var count = 0
    defer { makeRoom(free - count) }
    let now = environment.now()
    let until = now + Self.lease
    let leasedAt = loop.now
    let leased = try await database.write(LeaseMails(now: now, until: until, countMax: free))
    count = leased.count
    for row in leased { begin(row, leasedAt: leasedAt, lease: until) }
    return count
  }

  private func begin(_ row: LeasedMail, leasedAt: MonotonicInstant, lease: Instant) {
    let revocation = MailRevocation()
    if !mayLeave(row.owner, leasedAt) { revocation.make() }
    if isStopping { revocation.breakOff() }
    underWay[row.id] = (row.owner, revocation)
    loop.begin { [self] in
      let error = await handOver(row, unless: revocation)
      underWay[row.id] = nil
      notifyOfChange()
      do throws(PostgresError) { try await note(row, error, lease: lease) } catch {
        log.failure(
          "record mail result failed, the mail is sent again", error, level: .warning,
          .safe("mail_id", row.id))
      }
      makeRoom(1)
      work?.wake()
    }
  }

  private func handOver(_ row: LeasedMail, unless revocation: MailRevocation) async -> MailError? {
    guard let mail = MailMessage(row, under: queue.key.value) else {
      return .permanent(.unreadable)
    }
    do throws(MailError) {
      try await transport.send(mail, unless: revocation)
      return nil
    } catch {
      return error
    }
  }

  private func makeRoom(_ count: Int) {
    claimedCount -= count
    notifyOfChange()
  }

  private func notifyOfChange() {
    for continuation in waitingForChange { continuation.resume() }
    waitingForChange = []
  }

  private func note(
    _ row: LeasedMail, _ error: MailError?, lease: Instant
  ) async throws(PostgresError) {
    let now = environment.now()
    guard let error else {
      metrics.sent.increment()
      try await database.write(MarkMailSent(id: row.id, at: now))
      return
    }
    let words = error.failure.description
    let randomness = environment.randomBytes(1).first ?? 0
    if error == .temporary(.calledBack) || error == .temporary(.stopped) {
      log.info("mail interrupted", [.safe("mail_id", row.id), .safe("cause", error.failure)])
      let pause = error.failure == .stopped ? .zero : Self.rest
      try await database.write(
        ReturnMail(id: row.id, lease: lease, nextAttemptAt: now + pause, error: words))
    } else if case .temporary = error,
      let pause = schedule.pause(afterAttempts: row.attempts, randomness: randomness)
    {
      log.info(
        "mail postponed for a retry",
        [
          .safe("mail_id", row.id), .safe("cause", error.failure),
          .number("attempts", row.attempts),
        ])
      try await database.write(
        PostponeMail(id: row.id, lease: lease, nextAttemptAt: now + pause, error: words))
    } else {
      metrics.failed.increment()
      log.warning(
        "mail failed permanently",
        [
          .safe("mail_id", row.id), .safe("cause", error.failure),
          .number("attempts", row.attempts),
        ])
      try await database.write(MarkMailFailed(id: row.id, lease: lease, at: now, error: words))
    }
  }
}
