import EventLoop
import Operations
import Postgres
import Privacy

/// Sends what is queued: one per process, on one loop; several processes share the queue.
///
/// A mail is leased for five minutes before it is sent, and marked afterwards. What may be taken
/// later is tried again by the schedule, what is refused for good is not. Who removes a mail from
/// the queue calls it back here too, as it may be on its way.
// SAFETY: confined to its loop: what changes is touched by `work` and `callBack`, which run there.
package final class MailWorker: @unchecked Sendable {
  /// How long a mail belongs to the worker that took it.
  static let lease = Duration.seconds(300)
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
  private var waitingForMails: [CheckedContinuation<Void, Never>] = []
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

  /// Begins to send. On the loop, once.
  package func start() {
    let work = RepeatingWork(on: queue.key.loop) { [weak self] in await self?.turn() ?? Self.rest }
    self.work = work
    queue.bell.heard { work.wake() }
    work.start()
  }

  /// Returns once the mails on their way are sent or postponed. On the loop.
  package func stop() async { await work?.stop() }

  /// Breaks off the mails on their way with such ties; returns once none of them is. On the loop.
  package func callBack(where isMeant: (MailTies) -> Bool) async {
    let meant = underWay.filter { isMeant($0.value.ties) }
    for (_, recall) in meant.values { recall.make() }
    while meant.keys.contains(where: { underWay[$0] != nil }) {
      await withCheckedContinuation { waitingForMails.append($0) }
    }
  }

  /// Sends all that is due, and forgets what was sent a day ago. On the loop.
  ///
  /// Throws as the database does; what was leased then comes again after the lease.
  package func sendDue() async throws(PostgresError) {
    while work?.isEnding != true, try await sendSome() {}
    let (_, waiting) = try await database.write(
      ForgetMails(before: world.now() - Self.keptFor), CountWaitingMails())
    metrics.waiting.set(waiting.first ?? 0)
  }

  private func turn() async -> Duration {
    do throws(PostgresError) { try await sendDue() } catch {
      log.warning("the mail queue could not be read", [.safe("cause", error)])
    }
    return Self.rest
  }

  /// Sends a few mails at the same time; false if none was due.
  private func sendSome() async throws(PostgresError) -> Bool {
    let now = world.now()
    let until = now + Self.lease
    let leasedAt = queue.key.loop.now
    let leased = try await database.write(
      LeaseMails(now: now, until: until, countMax: SMTPTransport.parallelMax))
    guard !leased.isEmpty else { return false }
    let outcomes = await send(leased, leasedAt: leasedAt)
    for (row, error) in outcomes { try await note(row, error, lease: until) }
    return true
  }

  private func send(
    _ rows: [LeasedMail], leasedAt: MonotonicInstant
  ) async -> [(LeasedMail, MailError?)] {
    await withTaskGroup(of: (LeasedMail, MailError?).self) { group in
      for row in rows {
        let mail = MailMessage(row, under: queue.key.value)
        let recall = MailRecall()
        if !mayLeave(row.ties, leasedAt) { recall.make() }
        underWay[row.id] = (row.ties, recall)
        let transport = transport
        group.addTask {
          guard let mail else { return (row, .permanent(.unreadable)) }
          do throws(MailError) {
            try await transport.send(mail, unless: recall)
            return (row, nil)
          } catch {
            return (row, error)
          }
        }
      }
      var outcomes: [(LeasedMail, MailError?)] = []
      for await outcome in group {
        underWay[outcome.0.id] = nil
        for continuation in waitingForMails { continuation.resume() }
        waitingForMails = []
        outcomes.append(outcome)
      }
      return outcomes
    }
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
    if error == .temporary(.calledBack) {
      log.info("a mail was called back", [])
      try await database.write(
        PostponeMail(id: id, lease: lease, nextAttemptAt: now + Self.rest, error: words))
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
