import EventLoop
import Operations
import Postgres
import Privacy

/// Sends what is queued: one per process, on one loop; several processes share the queue.
///
/// A few mails are on their way at a time. Each is leased for five minutes when there is room for
/// it, and what became of it is noted as soon as it ends, however long another one takes. What may
/// be taken later is tried again by the schedule, what is refused for good is not. Who removes a
/// mail from the queue calls it back here too, as it may be on its way.
// SAFETY: confined to its loop, which every entry point asserts.
package final class MailWorker: @unchecked Sendable {
  /// How long a mail belongs to the worker that took it.
  package static let lease = Duration.seconds(300)
  /// What is left of the lease, after the longest conversation, to note how it ended.
  package static let notingMax = Duration.seconds(30)
  /// How long the worker rests when nobody rings.
  static let rest = Duration.seconds(5)
  /// How long a mail that was sent or has failed is remembered.
  static let keptFor = Duration.seconds(86_400)

  private let queue: MailQueue
  private let database: Database
  private let transport: any MailTransport
  private let schedule: RetrySchedule
  private let world: World
  private let log: Log
  private let metrics: MailMetrics
  private let mayLeave: (MailTies, _ leasedAt: MonotonicInstant) -> Bool
  private var underWay: [UniversalID: (ties: MailTies, recall: MailRecall)] = [:]
  /// Mails that are on their way, are about to be leased, or whose outcome is being noted.
  private var takenCount = 0
  private var isStopping = false
  private var isOutOfTime = false
  private var waitingForChange: [CheckedContinuation<Void, Never>] = []
  private var work: RepeatingWork?

  /// A worker on the queue's loop that sends by `transport` what stands in this database.
  ///
  /// `mayLeave` is asked on the loop before each mail, with the moment before it was read: false
  /// for one that was called back since.
  package init(
    queue: MailQueue, database: Database, transport: any MailTransport,
    schedule: RetrySchedule = .mail, world: World, log: Log, metrics: Metrics = Metrics(),
    mayLeave: @escaping (MailTies, _ leasedAt: MonotonicInstant) -> Bool = { _, _ in true }
  ) {
    self.queue = queue
    self.database = database
    self.transport = transport
    self.schedule = schedule
    self.world = world
    self.log = log
    self.metrics = MailMetrics(metrics)
    self.mayLeave = mayLeave
  }

  private var loop: EventLoop { queue.key.loop }

  /// Begins to send. On the loop, once.
  package func start() {
    loop.assertCurrent()
    let work = RepeatingWork(on: loop) { [weak self] in await self?.turn() ?? Self.rest }
    self.work = work
    queue.bell.heard { work.wake() }
    work.start()
  }

  /// Breaks off the mails on their way that the server has not got whole, and waits for the answers
  /// to the others, but no longer than `time`. On the loop.
  ///
  /// What was broken off is due at once, for whichever process is there. What was not answered
  /// stays leased: its server may be about to take it.
  package func stop(within time: Duration) async {
    loop.assertCurrent()
    isStopping = true
    for (_, recall) in underWay.values { recall.breakOff() }
    let timer = loop.schedule(after: time) { [self] in
      isOutOfTime = true
      tellOfChange()
    }
    defer { timer.cancel() }
    await work?.stop()
    while takenCount > 0, !isOutOfTime {
      await withCheckedContinuation { waitingForChange.append($0) }
    }
    guard takenCount > 0 else { return }
    log.warning("mails come again that nobody answered in time", [.number("count", takenCount)])
  }

  /// Breaks off the mails on their way with such ties; returns once none of them is. On the loop.
  package func callBack(where isMeant: (MailTies) -> Bool) async {
    loop.assertCurrent()
    let meant = underWay.filter { isMeant($0.value.ties) }
    for (_, recall) in meant.values { recall.make() }
    while meant.keys.contains(where: { underWay[$0] != nil }) {
      await withCheckedContinuation { waitingForChange.append($0) }
    }
  }

  /// Sends all that is due, and forgets what was sent a day ago; returns when nothing is on its
  /// way. On the loop.
  ///
  /// Throws as the database does.
  package func sendDue() async throws(PostgresError) {
    loop.assertCurrent()
    while true {
      if let count = try await takeOn() {
        if count > 0 { continue }
        if takenCount == 0 { break }
      }
      await withCheckedContinuation { waitingForChange.append($0) }
    }
    try await tidy()
  }

  private func turn() async -> Duration {
    do throws(PostgresError) {
      // Without room the end of a mail wakes this.
      guard let count = try await takeOn() else { return Self.rest }
      guard count == 0 else { return .zero }
      try await tidy()
    } catch {
      log.failure("the mail queue could not be read", error, level: .warning)
    }
    return Self.rest
  }

  private func tidy() async throws(PostgresError) {
    let (_, waiting) = try await database.write(
      ForgetMails(before: world.now() - Self.keptFor), CountWaitingMails())
    metrics.waiting.set(waiting.first ?? 0)
  }

  /// Begins to send as many mails as there is room for; gives how many were due, nil without room.
  private func takeOn() async throws(PostgresError) -> Int? {
    guard !isStopping else { return 0 }
    let free = SMTPTransport.parallelMax - takenCount
    guard free > 0 else { return nil }
    takenCount += free
    var count = 0
    defer { makeRoom(free - count) }
    let now = world.now()
    let until = now + Self.lease
    let leasedAt = loop.now
    let leased = try await database.write(LeaseMails(now: now, until: until, countMax: free))
    count = leased.count
    for row in leased { begin(row, leasedAt: leasedAt, lease: until) }
    return count
  }

  private func begin(_ row: LeasedMail, leasedAt: MonotonicInstant, lease: WallTime) {
    let recall = MailRecall()
    if !mayLeave(row.ties, leasedAt) { recall.make() }
    if isStopping { recall.breakOff() }
    underWay[row.id] = (row.ties, recall)
    loop.begin { [self] in
      let error = await handOver(row, unless: recall)
      underWay[row.id] = nil
      tellOfChange()
      do throws(PostgresError) { try await note(row, error, lease: lease) } catch {
        log.failure(
          "what became of a mail could not be noted, it comes again", error, level: .warning)
      }
      makeRoom(1)
      work?.wake()
    }
  }

  private func handOver(_ row: LeasedMail, unless recall: MailRecall) async -> MailError? {
    guard let mail = MailMessage(row, under: queue.key.value) else {
      return .permanent(.unreadable)
    }
    do throws(MailError) {
      try await transport.send(mail, unless: recall)
      return nil
    } catch {
      return error
    }
  }

  private func makeRoom(_ count: Int) {
    takenCount -= count
    tellOfChange()
  }

  private func tellOfChange() {
    for continuation in waitingForChange { continuation.resume() }
    waitingForChange = []
  }

  private func note(
    _ row: LeasedMail, _ error: MailError?, lease: WallTime
  ) async throws(PostgresError) {
    let id = PostgresUUID(high: row.id.high, low: row.id.low)
    let now = world.now()
    guard let error else {
      metrics.sent.increment()
      try await database.write(MarkMailSent(id: id, at: now))
      return
    }
    let words = error.failure.description
    let chance = world.randomBytes(1).first ?? 0
    if error == .temporary(.calledBack) || error == .temporary(.stopped) {
      log.info("a mail was broken off", [.safe("cause", error.failure)])
      let pause = error.failure == .stopped ? .zero : Self.rest
      try await database.write(
        GiveMailBack(id: id, lease: lease, nextAttemptAt: now + pause, error: words))
    } else if case .temporary = error,
      let pause = schedule.pause(afterAttempts: row.attempts, chance: chance)
    {
      log.info(
        "a mail will be tried again",
        [.safe("cause", error.failure), .number("attempts", row.attempts)])
      try await database.write(
        PostponeMail(id: id, lease: lease, nextAttemptAt: now + pause, error: words))
    } else {
      metrics.failed.increment()
      log.warning(
        "a mail has failed",
        [.safe("cause", error.failure), .number("attempts", row.attempts)])
      try await database.write(MarkMailFailed(id: id, lease: lease, at: now, error: words))
    }
  }
}
