import Accounts
import Domain
import EventLoop
import HealthRecords
import Mail
import Operations
import Postgres
import ServiceKit
import Time
import Webhooks

/// Delivers the sequences of third parties to their callbacks (REQ-2): the events of one third
/// party one after the other, different third parties in parallel. Each process has two, one of
/// them for recipients whose next event is of an emergency, over the connections of emergencies
/// (decision 0022); replicas share the work by leases.
///
/// An event is read, with the consent it needs and its line in the access record, just before each
/// attempt. Data that a request no longer covers is skipped, also when an event is repeated.
package final class CallbackDelivery {
  /// The most third parties, and the most hospitals, that one process calls at the same time.
  static let parallelMax = 256
  static let hospitalsMax = 64
  /// The number of calls after which a third party yields to others that are queued. A hospital
  /// yields after each call: its next event may not be an emergency.
  static let callsMax = 200
  /// How long the lease on a third party lasts: enough for one read and one call. It ends with the
  /// lease of the process, 5 s after a process was killed.
  package static let lease = Duration.seconds(45)
  /// How often new events are looked for without a wake-up.
  static let pause = Duration.milliseconds(200)
  /// The pause after a failure of the database.
  static let failurePause = Duration.seconds(1)
  /// The longest delay that an endpoint can request.
  static let retryAfterMax = Duration.seconds(86_400)

  private let dependencies: SharingDependencies
  private let isOfEmergencies: Bool
  private let sequence: ThirdPartySequence
  private let poster: CallbackPoster
  private let mails: CallbackMails
  private let metrics: CallbackMetrics
  private let leaseRelease: LeaseRelease
  /// Calls in progress, with the request whose samples they carry.
  private var calls: [CallbackPoster.Ticket: DataRequestID?] = [:]
  private var waitingForCalls: [CheckedContinuation<Void, Never>] = []
  private var runningCount = 0
  private var isStopping = false
  private var work: PeriodicTask?
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

  /// Calls through this poster; with `isOfEmergencies` only recipients whose next event is of an
  /// emergency, otherwise all others.
  package init(
    _ dependencies: SharingDependencies, emergencies: any EmergencySource,
    isOfEmergencies: Bool = false,
    samples: SampleStore, poster: CallbackPoster, settings: AuthenticationSettings
  ) {
    self.dependencies = dependencies
    self.isOfEmergencies = isOfEmergencies
    self.poster = poster
    mails = CallbackMails(
      environment: dependencies.environment, accountKeys: dependencies.accountKeys,
      locales: dependencies.locales, mailQueue: dependencies.mailQueue, settings: settings)
    sequence = ThirdPartySequence(
      loop: dependencies.loop, environment: dependencies.environment,
      database: dependencies.database,
      log: dependencies.log, samples: samples,
      accesses: AccessRecorder(root: dependencies.root),
      metrics: EventMetrics(dependencies.metrics), emergencies: emergencies)
    metrics = CallbackMetrics(dependencies.metrics)
    leaseRelease = LeaseRelease(
      on: dependencies.loop, environment: dependencies.environment, lease: Self.lease)
  }

  /// Starts calling. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: dependencies.loop)
    let work = PeriodicTask(on: dependencies.loop) { await bound.value.turn() }
    self.work = work
    dependencies.streamWakeUp.onSignal { work.wake() }
    endRevokedCalls()
    work.start()
  }

  /// Ends the calls in progress; the next holder of the lease sends their events again. On the
  /// loop.
  package func stop() async {
    isStopping = true
    await work?.stop()
    poster.stop()
    leaseRelease.stop()
    if runningCount > 0 { await withCheckedContinuation { waitingForEnd.append($0) } }
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      return try await claim() == 0 ? Self.pause : .zero
    } catch {
      dependencies.log.failure("read due callbacks failed", error, level: .warning)
      return Self.failurePause
    }
  }

  /// Leases third parties with undelivered events and begins to call them; returns how many.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func claim() async throws(ApplicationError) -> Int {
    let free = (isOfEmergencies ? Self.hospitalsMax : Self.parallelMax) - runningCount
    guard free > 0 else { return 0 }
    let now = dependencies.environment.now()
    let lease = LeaseCallbacks(
      now: now, until: now + Self.lease, replica: dependencies.fences.replica,
      isOfEmergencies: isOfEmergencies, countMax: Int64(free))
    let rows = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      try await transaction.run(lease)
    }
    for row in rows {
      runningCount += 1
      let bound = LoopBound(self, on: dependencies.loop)
      dependencies.loop.begin { await bound.value.deliver(to: row) }
    }
    return rows.count
  }

  /// Returns when no call is in progress. On the loop.
  package func settle() async {
    if runningCount > 0 { await withCheckedContinuation { waitingForEnd.append($0) } }
  }

  private func deliver(to row: CallbackRow) async {
    var hasCalled = false
    do throws(ApplicationError) {
      var current: CallbackRow? = row
      var count = 0
      while let row = current {
        let makesWay = isStopping || count == (isOfEmergencies ? 1 : Self.callsMax)
        if makesWay {
          try await release(row)
          break
        }
        current = try await step(row, &hasCalled)
        count += 1
      }
    } catch {
      // The lease expires, and another process continues.
      dependencies.log.failure(
        "deliver callback failed", error, level: .warning,
        .number("account_id", row.thirdParty.rawValue))
      // The event may have been received: the next call should not wait for the lease. A hospital
      // has less time than the lease in any case; for others a fault before the call, such as of
      // the keys' database, would be repeated at once.
      if error.reason == .unavailable, isOfEmergencies || hasCalled {
        await leaseRelease.run { () async throws(ApplicationError) in try await release(row) }
      }
    }
    runningCount -= 1
    // A hospital that has yielded may have another emergency.
    if isOfEmergencies { work?.wake() }
    if runningCount == 0 {
      for continuation in waitingForEnd { continuation.resume() }
      waitingForEnd = []
    }
  }

  /// Sends the next event; nil when the lease was released or belongs to another process.
  /// `hasCalled` becomes true before the call.
  private func step(
    _ row: CallbackRow, _ hasCalled: inout Bool
  ) async throws(ApplicationError) -> CallbackRow? {
    let key = try await dependencies.accountKeys.key(of: row.thirdParty)
    let endpoint = try row.endpoint(key)
    let readAt = dependencies.loop.now
    let position = EventPosition(account: row.thirdParty, after: row.acknowledged)
    let page = try await sequence.read(after: position, .callback, entriesMax: 1)
    guard let item = page.items.first else {
      if page.next > row.acknowledged { return try await acknowledge(row, to: page.next) }
      try await release(row)
      return nil
    }
    let requestID = page.deliveries.first?.requestID
    guard dependencies.fence.value.admits(page.deliveries.map(\.requestID), readAt: readAt) else {
      try await release(row)
      return nil
    }
    let now = dependencies.environment.now()
    hasCalled = true
    let outcome = await call(
      CallbackMessage(item).call(to: endpoint.url, under: endpoint.secrets(at: now), at: now),
      requestID)
    if outcome == .failed(.stopped) {
      try await release(row)
      return nil
    }
    if outcome.isTaken {
      return try await acknowledge(row, to: item.number, outcome, at: now)
    }
    try await postpone(row, item.number, outcome, at: now)
    return nil
  }

  private func call(
    _ call: CallbackCall, _ requestID: DataRequestID?
  ) async -> CallbackOutcome {
    let ticket = poster.ticket()
    calls[ticket] = .some(requestID)
    let outcome = await poster.post(call, as: ticket)
    calls[ticket] = nil
    metrics.count(outcome)
    for continuation in waitingForCalls { continuation.resume() }
    waitingForCalls = []
    return outcome
  }

  /// Ends calls that carry samples of a revoked request; all calls when the lease of the process
  /// has expired, because other processes call then. On the loop, once.
  package func endRevokedCalls() {
    let bound = LoopBound(self, on: dependencies.loop)
    dependencies.fence.value.add { await bound.value.revoke($0?.requestIDs) }
  }

  private func revoke(_ requestIDs: Set<DataRequestID>?) async {
    let revoked = Set(
      calls.filter { _, requestID in
        guard let requestIDs else { return true }
        return requestID.map(requestIDs.contains) ?? false
      }.keys)
    for ticket in revoked { poster.cancel(ticket) }
    while revoked.contains(where: { calls[$0] != nil }) {
      await withCheckedContinuation { waitingForCalls.append($0) }
    }
  }

  private func acknowledge(
    _ row: CallbackRow, to number: Int64, _ outcome: CallbackOutcome? = nil,
    at time: Instant? = nil
  ) async throws(ApplicationError) -> CallbackRow? {
    let now = dependencies.environment.now()
    let statement = AcknowledgeCallback(
      thirdParty: row.thirdParty, lease: row.lease, from: row.acknowledged, to: number, now: now,
      until: now + Self.lease)
    return try await dependencies.database.transaction { (transaction) throws(ApplicationError) in
      // The log references the account, which deletions lock before the callback.
      if let outcome {
        try await transaction.run(
          LogCallbackCall(row.thirdParty, number, outcome, at: time ?? now))
      }
      return try await transaction.runOne(statement)
    }
  }

  private func release(_ row: CallbackRow) async throws(ApplicationError) {
    _ = try await dependencies.database.effect(
      ReleaseCallback(thirdParty: row.thirdParty, lease: row.lease))
  }

  private func postpone(
    _ row: CallbackRow, _ number: Int64, _ outcome: CallbackOutcome, at time: Instant
  ) async throws(ApplicationError) {
    let now = dependencies.environment.now()
    let randomness = dependencies.environment.randomBytes(1).first ?? 0
    let step = CallbackStep(outcome, attempts: Int(row.attempts) + 1, randomness: randomness)
    let next = now + step.pause
    let isOurs = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in
      let postponed = PostponeCallback(
        thirdParty: row.thirdParty, lease: row.lease, nextAttemptAt: next,
        offReason: step.offReason)
      try await transaction.run(
        LogCallbackCall(
          row.thirdParty, number, outcome, at: time, next: step.offReason == nil ? next : nil))
      let isOurs = try await transaction.runOne(postponed) != nil
      if isOurs, let reason = step.offReason {
        try await mails.notify(row.thirdParty, reason, in: transaction)
      }
      return isOurs
    }
    if isOurs, step.offReason != nil {
      metrics.switchedOff.increment()
      dependencies.mailQueue.announce()
    }
  }

  /// Deletes calls that are older than `keptFor`, and secrets that no longer sign. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package static func forgetOldCalls(
    in database: Database, environment: Environment, keptFor: Duration
  ) async throws(ApplicationError) {
    _ = try await database.effect(
      ForgetCallbackCalls(before: environment.now() - keptFor))
    _ = try await database.effect(
      ForgetPreviousSecrets(now: environment.now()))
  }
}

/// The decision after a failed attempt.
struct CallbackStep: Equatable {
  /// The delay before the next attempt.
  let pause: Duration
  /// Why no further attempt is made; nil if one is.
  let offReason: CallbackOffReason?

  /// The step after this number of attempts, including the last one; `randomness` adds jitter to
  /// the delay.
  init(_ outcome: CallbackOutcome, attempts: Int, randomness: UInt8) {
    var asked = Duration.zero
    if case .answered(let status, _, let seconds) = outcome {
      asked = min(.seconds(seconds), CallbackDelivery.retryAfterMax)
      if status == 410 {
        self.init(pause: .zero, offReason: .gone)
        return
      }
    }
    guard let pause = RetrySchedule.callback.pause(afterAttempts: attempts, randomness: randomness)
    else {
      self.init(pause: .zero, offReason: .exhausted)
      return
    }
    self.init(pause: max(pause, asked), offReason: nil)
  }

  init(pause: Duration, offReason: CallbackOffReason?) {
    self.pause = pause
    self.offReason = offReason
  }
}
