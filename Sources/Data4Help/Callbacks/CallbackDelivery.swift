import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

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
  /// How long the log of calls is kept.
  static let keptFor = Duration.seconds(30 * 86_400)

  private let surroundings: Surroundings
  private let isOfEmergencies: Bool
  private let sequence: ThirdPartySequence
  private let poster: CallbackPoster
  private let mails: CallbackMails
  private let metrics: CallbackMetrics
  /// Calls in progress, with the request whose samples they carry.
  private var calls: [CallbackPoster.Ticket: DataRequestID?] = [:]
  private var waitingForCalls: [CheckedContinuation<Void, Never>] = []
  private var runningCount = 0
  private var isStopping = false
  private var work: RepeatingWork?
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []

  /// Calls through this poster; with `isOfEmergencies` only recipients whose next event is of an
  /// emergency, otherwise all others.
  package init(
    _ surroundings: Surroundings, _ emergencies: EmergencySettings, isOfEmergencies: Bool = false,
    samples: SampleStore, poster: CallbackPoster, settings: AuthenticationSettings
  ) {
    self.surroundings = surroundings
    self.isOfEmergencies = isOfEmergencies
    self.poster = poster
    mails = CallbackMails(surroundings: surroundings, settings: settings)
    sequence = ThirdPartySequence(
      surroundings: surroundings, samples: samples,
      accesses: AccessRecorder(root: surroundings.root),
      metrics: EventMetrics(surroundings.metrics), areAllAdmitted: emergencies.areAllAdmitted)
    metrics = CallbackMetrics(surroundings.metrics)
  }

  /// Starts calling. On the loop, once.
  package func start() {
    let bound = LoopBound(self, on: surroundings.loop)
    let work = RepeatingWork(on: surroundings.loop) { await bound.value.turn() }
    self.work = work
    surroundings.streamBell.heard { work.wake() }
    followRecalls()
    work.start()
  }

  /// Ends the calls in progress; the next holder of the lease sends their events again. On the
  /// loop.
  package func stop() async {
    isStopping = true
    await work?.stop()
    poster.stop()
    if runningCount > 0 { await withCheckedContinuation { waitingForEnd.append($0) } }
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      return try await takeOn() == 0 ? Self.pause : .zero
    } catch {
      surroundings.log.failure("read due callbacks failed", error, level: .warning)
      return Self.failurePause
    }
  }

  /// Leases third parties with undelivered events and begins to call them; returns how many.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func takeOn() async throws(ApplicationError) -> Int {
    let free = (isOfEmergencies ? Self.hospitalsMax : Self.parallelMax) - runningCount
    guard free > 0 else { return 0 }
    let now = surroundings.world.now()
    let lease = LeaseCallbacks(
      now: now, until: now + Self.lease, replica: surroundings.fences.replica,
      isOfEmergencies: isOfEmergencies, countMax: Int64(free))
    let rows = try await surroundings.database.transaction {
      (transaction) throws(ApplicationError) in
      try await transaction.run(lease)
    }
    for row in rows {
      runningCount += 1
      let bound = LoopBound(self, on: surroundings.loop)
      surroundings.loop.begin { await bound.value.deliver(to: row) }
    }
    return rows.count
  }

  /// Returns when no call is in progress. On the loop.
  package func settle() async {
    if runningCount > 0 { await withCheckedContinuation { waitingForEnd.append($0) } }
  }

  private func deliver(to row: CallbackRow) async {
    do throws(ApplicationError) {
      var current: CallbackRow? = row
      var count = 0
      while let row = current {
        let makesWay = isStopping || count == (isOfEmergencies ? 1 : Self.callsMax)
        if makesWay {
          try await release(row)
          break
        }
        current = try await step(row)
        count += 1
      }
    } catch {
      // The lease expires, and another process continues.
      surroundings.log.failure(
        "deliver callback failed", error, level: .warning,
        .number("account_id", row.thirdParty.rawValue))
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
  private func step(_ row: CallbackRow) async throws(ApplicationError) -> CallbackRow? {
    let key = try await surroundings.accountKeys.key(of: row.thirdParty)
    let endpoint = try row.endpoint(key)
    let readAt = surroundings.loop.now
    let position = EventPosition(account: row.thirdParty, after: row.acknowledged)
    let page = try await sequence.read(behind: position, .callback, entriesMax: 1)
    guard let item = page.items.first else {
      if page.next > row.acknowledged { return try await acknowledge(row, to: page.next) }
      try await release(row)
      return nil
    }
    let requestID = page.deliveries.first?.requestID
    guard surroundings.fence.value.admits(page.deliveries.map(\.requestID), readAt: readAt) else {
      try await release(row)
      return nil
    }
    let now = surroundings.world.now()
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

  /// Ends calls that carry samples of a recalled request; all calls when the lease of the process
  /// has expired, because other processes call then. On the loop, once.
  package func followRecalls() {
    let bound = LoopBound(self, on: surroundings.loop)
    surroundings.fence.value.add { await bound.value.recall($0?.requestIDs) }
  }

  private func recall(_ requestIDs: Set<DataRequestID>?) async {
    let recalled = Set(
      calls.filter { _, requestID in
        guard let requestIDs else { return true }
        return requestID.map(requestIDs.contains) ?? false
      }.keys)
    for ticket in recalled { poster.cancel(ticket) }
    while recalled.contains(where: { calls[$0] != nil }) {
      await withCheckedContinuation { waitingForCalls.append($0) }
    }
  }

  private func acknowledge(
    _ row: CallbackRow, to number: Int64, _ outcome: CallbackOutcome? = nil,
    at time: WallTime? = nil
  ) async throws(ApplicationError) -> CallbackRow? {
    let now = surroundings.world.now()
    let statement = AcknowledgeCallback(
      thirdParty: row.thirdParty, lease: row.lease, from: row.acknowledged, to: number, now: now,
      until: now + Self.lease)
    return try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      // The log references the account, which deletions lock before the callback.
      if let outcome {
        try await transaction.run(
          LogCallbackCall(row.thirdParty, number, outcome, at: time ?? now))
      }
      return try await transaction.runOne(statement)
    }
  }

  private func release(_ row: CallbackRow) async throws(ApplicationError) {
    _ = try await surroundings.database.effect(
      ReleaseCallback(thirdParty: row.thirdParty, lease: row.lease))
  }

  private func postpone(
    _ row: CallbackRow, _ number: Int64, _ outcome: CallbackOutcome, at time: WallTime
  ) async throws(ApplicationError) {
    let now = surroundings.world.now()
    let chance = surroundings.world.randomBytes(1).first ?? 0
    let step = CallbackStep(outcome, attempts: Int(row.attempts) + 1, chance: chance)
    let next = now + step.pause
    let isOurs = try await surroundings.database.transaction {
      (transaction) throws(ApplicationError) in
      let postponed = PostponeCallback(
        thirdParty: row.thirdParty, lease: row.lease, nextAttemptAt: next,
        offReason: step.offReason)
      try await transaction.run(
        LogCallbackCall(
          row.thirdParty, number, outcome, at: time, next: step.offReason == nil ? next : nil))
      let isOurs = try await transaction.runOne(postponed) != nil
      if isOurs, let reason = step.offReason {
        try await mails.tell(row.thirdParty, reason, in: transaction)
      }
      return isOurs
    }
    if isOurs, step.offReason != nil {
      metrics.switchedOff.increment()
      surroundings.mails.announce()
    }
  }

  /// Deletes calls older than a month, and secrets that no longer sign. On the loop.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  static func forgetOldCalls(of surroundings: Surroundings) async throws(ApplicationError) {
    _ = try await surroundings.database.effect(
      ForgetCallbackCalls(before: surroundings.world.now() - keptFor))
    _ = try await surroundings.database.effect(
      ForgetPreviousSecrets(now: surroundings.world.now()))
  }
}

/// The decision after a failed attempt.
struct CallbackStep: Equatable {
  /// The delay before the next attempt.
  let pause: Duration
  /// Why no further attempt is made; nil if one is.
  let offReason: CallbackOffReason?

  /// The step after this number of attempts, including the last one; `chance` adds jitter to the
  /// delay.
  init(_ outcome: CallbackOutcome, attempts: Int, chance: UInt8) {
    var asked = Duration.zero
    if case .answered(let status, _, let seconds) = outcome {
      asked = min(.seconds(seconds), CallbackDelivery.retryAfterMax)
      if status == 410 {
        self.init(pause: .zero, offReason: .gone)
        return
      }
    }
    guard let pause = RetrySchedule.callback.pause(afterAttempts: attempts, chance: chance) else {
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
