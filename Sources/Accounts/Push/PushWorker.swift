import Bytes
import Cryptography
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import ServiceKit
import Time
import Webhooks

/// Sends queued push messages (NTF-2). Each process has one worker on one loop; all processes share
/// the queue.
///
/// Urgent messages have places of their own (`PushPlaces`), so that slow push services of other
/// messages, and of other people, do not delay them. The text is composed when a message is sent: a
/// question that was answered meanwhile, and a notice that a stream has delivered, are not sent.
// SAFETY: confined to its loop, which every entry point asserts.
package final class PushWorker: @unchecked Sendable {
  /// How long a leased message belongs to its worker, longer than a call of 15 s. After that time
  /// another process sends the message of a killed one.
  static let lease = Duration.seconds(60)
  /// The same for an urgent message.
  static let urgentLease = Duration.seconds(20)
  /// The polling interval without a wake-up.
  static let pause = Duration.seconds(1)
  /// The notices after an alarm that are searched for a later stage of its emergency. An emergency
  /// has seven stages at most, and few others run beside it.
  private static let laterMax: Int64 = 64
  /// The longest delay that a push service can request.
  private static let retryAfterMax = 3600

  private let dependencies: AccountsDependencies
  private let requests: any NoticeRequestSource
  private let sender: PushSender
  private let wakeUp: WakeUpSignal
  private let metrics: PushMetrics
  private var work: PeriodicTask?
  /// The messages in progress.
  private var places = PushPlaces()
  private var waitingForEnd: [CheckedContinuation<Void, Never>] = []
  private var isStopping = false

  /// A worker that `wakeUp` wakes after a commit of notices.
  package init(
    _ dependencies: AccountsDependencies, requests: any NoticeRequestSource, sender: PushSender,
    wakeUp: WakeUpSignal
  ) {
    self.dependencies = dependencies
    self.requests = requests
    self.sender = sender
    self.wakeUp = wakeUp
    metrics = PushMetrics(dependencies.metrics)
  }

  private var loop: EventLoop { dependencies.loop }
  private var log: Log { dependencies.log }

  /// Starts the worker. On the loop, once.
  package func start() {
    loop.assertCurrent()
    let work = PeriodicTask(on: loop) { [weak self] in await self?.turn() ?? Self.pause }
    self.work = work
    wakeUp.onSignal { work.wake() }
    work.start()
  }

  /// Ends the messages in progress, which are due at once for any other process. On the loop.
  package func stop() async {
    loop.assertCurrent()
    isStopping = true
    await work?.stop()
    sender.stop()
    await settle()
  }

  /// Returns when no message is in progress. On the loop.
  package func settle() async {
    while !places.isEmpty {
      await withCheckedContinuation { waitingForEnd.append($0) }
    }
  }

  private func turn() async -> Duration {
    do throws(ApplicationError) {
      let count = try await claim()
      if count == 0 {
        metrics.waiting.set(try await dependencies.database.row(CountPushMessages()) ?? 0)
      }
      return count == 0 ? Self.pause : .zero
    } catch {
      log.failure("read queue of push messages failed", error, level: .warning)
      return Self.pause
    }
  }

  /// Leases due messages and begins to send them, urgent ones first; returns how many. On the loop.
  ///
  /// - Throws: `unavailable` if a database is unavailable; leased messages are sent later.
  package func claim() async throws(ApplicationError) -> Int {
    loop.assertCurrent()
    return try await claim(isUrgent: true) + claim(isUrgent: false)
  }

  private func claim(isUrgent: Bool) async throws(ApplicationError) -> Int {
    let free = places.free(isUrgent: isUrgent)
    guard !isStopping, free > 0 else { return 0 }
    let now = dependencies.environment.now()
    let until = now + (isUrgent ? Self.urgentLease : Self.lease)
    let statement = LeasePushMessages(
      isUrgent: isUrgent, now: now, until: until, countMax: Int64(free))
    let rows = try await dependencies.database.transaction {
      (transaction) throws(ApplicationError) in try await transaction.run(statement)
    }
    guard !rows.isEmpty else { return 0 }
    let keys = try await dependencies.accountKeys.keys(of: Set(rows.map(\.account)).sorted())
    let notices = rows.map { row in keys[row.account].flatMap { notice(of: row, under: $0) } }
    let replaced = try await replaced(rows, notices, under: keys)
    let found = try await requests.find(notices.compactMap(\.self))
    var crowded: [LeasePushMessages.Row] = []
    for (row, notice) in zip(rows, notices) {
      let isReplaced = notice.map { replaced[row.account]?.contains($0.number) == true } ?? false
      let text =
        isReplaced ? nil : text(of: row, notice, about: notice?.request(in: found), at: now)
      let message = LeasedPush(
        row: row, isUrgent: isUrgent, lease: until,
        endpoint: keys[row.account].flatMap { endpoint(of: row, under: $0) }, text: text)
      if !begin(message) { crowded.append(row) }
    }
    if !crowded.isEmpty { try await putBack(crowded, leasedUntil: until, at: now) }
    return rows.count
  }

  /// Sends a message concurrently; false if its push service or account has no free place.
  private func begin(_ message: LeasedPush) -> Bool {
    let place = message.place
    guard places.take(place) else { return false }
    loop.begin { [self] in
      await deliver(message)
      places.release(place)
      for continuation in waitingForEnd { continuation.resume() }
      waitingForEnd = []
      work?.wake()
    }
    return true
  }

  /// Returns messages to the queue that have to wait for others of their push service or account.
  /// Due again after a pause, they are behind the messages of others.
  private func putBack(
    _ rows: [LeasePushMessages.Row], leasedUntil lease: Instant, at now: Instant
  ) async throws(ApplicationError) {
    _ = try await dependencies.database.effect(
      PutBackPushMessages(
        accounts: rows.map(\.account), subscriptions: rows.map(\.subscription),
        messages: rows.map(\.message), lease: lease, nextAttemptAt: now + Self.pause))
  }

  /// The numbers of alarms, by account, whose emergency has a later stage. The later stage has a
  /// message of its own; sent beside it or repeated, the earlier one could arrive last. Alarms of
  /// other emergencies replace nothing.
  private func replaced(
    _ rows: [LeasePushMessages.Row], _ notices: [DecodedNotice?], under keys: FoundKeys
  ) async throws(ApplicationError) -> [AccountID: Set<Int64>] {
    var stages: [DecodedNotice] = []
    for (row, notice) in zip(rows, notices) where row.notice?.hasLater == true {
      guard let notice, notice.emergencyID != nil else { continue }
      // The rows of one notice, one for each subscription, follow each other.
      if let last = stages.last, last.account == notice.account, last.number == notice.number {
        continue
      }
      stages.append(notice)
    }
    guard !stages.isEmpty else { return [:] }
    let later = try await dependencies.database.rows(
      NoticesAfter(
        accounts: stages.map(\.account), after: stages.map(\.number), countMax: Self.laterMax))
    var replaced: [AccountID: Set<Int64>] = [:]
    for row in later where row.kind == .alarm {
      let stage = stages[row.input.index]
      guard let key = keys[stage.account],
        let found = DecodedNotice.open(
          row.sealedPayload, row.kind, row.number, of: stage.account, with: key, log: log),
        found.emergencyID == stage.emergencyID
      else { continue }
      replaced[stage.account, default: []].insert(stage.number)
    }
    return replaced
  }

  private func notice(of row: LeasePushMessages.Row, under key: SealingKey) -> DecodedNotice? {
    row.notice.flatMap { notice in
      DecodedNotice.open(
        notice.sealedPayload, notice.kind, notice.number, of: row.account, with: key, log: log)
    }
  }

  /// Nil for a damaged subscription, which is logged.
  private func endpoint(
    of row: LeasePushMessages.Row, under key: SealingKey
  ) -> PushEndpoint? {
    guard
      let stored = StoredPushEndpoint.open(
        row.sealedEndpoint, under: key, row.account, row.subscription, log: log)
    else { return nil }
    if let parsed = stored.parsed { return parsed }
    log.failure(
      "parse push subscription failed",
      ApplicationError(.internalError, cause: "its address or its keys are never called"),
      .number("account_id", row.account.rawValue))
    return nil
  }

  /// The text to send; nil for a message that has become obsolete.
  private func text(
    of row: LeasePushMessages.Row, _ notice: DecodedNotice?, about request: NoticeRequest?,
    at now: Instant
  ) -> PushText? {
    let locale = dependencies.locales.locale(row.locale)
    guard row.expiresAt > now else { return nil }
    guard let stored = row.notice else { return .hospitalCall(in: locale.language) }
    if stored.kind != .alarm, stored.isSeen { return nil }
    guard let notice else { return nil }
    if notice.isQuestion, request?.isPending != true { return nil }
    return notice.pushText(
      for: locale, of: row.accountKind.kind, about: request, at: now.flooredToMilliseconds)
  }

  private func deliver(_ message: LeasedPush) async {
    do throws(ApplicationError) {
      guard let text = message.text, let endpoint = message.endpoint else {
        return try await forget(message)
      }
      let content = PushContent(
        text.document, isUrgent: message.isUrgent,
        topic: text.emergencyTag)
      let now = dependencies.environment.now()
      let outcome = await sender.send(
        content, to: endpoint, until: message.row.expiresAt, at: now)
      try await note(outcome, of: message)
    } catch {
      log.failure(
        "record push message failed, it is sent again", error, level: .warning,
        .number("account_id", message.row.account.rawValue))
    }
  }

  private func note(
    _ outcome: PushOutcome, of message: LeasedPush
  ) async throws(ApplicationError) {
    let account = LogField.number("account_id", message.row.account.rawValue)
    switch outcome {
    case .accepted:
      metrics.sent.increment()
      try await forget(message)
    case .unsubscribed:
      metrics.ended.increment()
      log.info("push subscription ended", [account])
      _ = try await dependencies.database.effect(
        DeletePushSubscription(
          account: message.row.account, subscription: message.row.subscription))
    case .refused(let status):
      metrics.failed.increment()
      log.warning("push message refused", [account, .number("answer", status)])
      try await forget(message)
    case .postponed(.stopped, _):
      try await postpone(message, until: dependencies.environment.now(), uncounted: 1)
    case .postponed(let failure, let retryAfter):
      try await postpone(message, because: failure, retryAfter: retryAfter)
    }
  }

  /// Retries on the schedule of mails while the message is relevant.
  private func postpone(
    _ message: LeasedPush, because failure: CallbackFailure, retryAfter: Int
  ) async throws(ApplicationError) {
    let now = dependencies.environment.now()
    let randomness = dependencies.environment.randomBytes(1).first ?? 0
    let asked = Duration.seconds(min(retryAfter, Self.retryAfterMax))
    guard
      let pause = RetrySchedule.mail.pause(
        afterAttempts: Int(message.row.attempts), randomness: randomness),
      now + max(pause, asked) < message.row.expiresAt
    else {
      metrics.failed.increment()
      log.warning(
        "push message failed permanently",
        [
          .number("account_id", message.row.account.rawValue), .safe("cause", failure),
          .number("attempts", message.row.attempts),
        ])
      return try await forget(message)
    }
    try await postpone(message, until: now + max(pause, asked), uncounted: 0)
  }

  private func postpone(
    _ message: LeasedPush, until time: Instant, uncounted: Int32
  ) async throws(ApplicationError) {
    let row = message.row
    _ = try await dependencies.database.effect(
      PostponePushMessage(
        account: row.account, subscription: row.subscription, message: row.message,
        lease: message.lease, nextAttemptAt: time, uncounted: uncounted))
  }

  private func forget(_ message: LeasedPush) async throws(ApplicationError) {
    let row = message.row
    _ = try await dependencies.database.effect(
      DeletePushMessage(
        account: row.account, subscription: row.subscription, message: row.message))
  }
}

/// A message in progress.
private struct LeasedPush: Sendable {
  let row: LeasePushMessages.Row
  let isUrgent: Bool
  /// The end of the lease.
  let lease: Instant
  /// Nil for a damaged subscription.
  let endpoint: PushEndpoint?
  /// Nil for an obsolete message.
  let text: PushText?

  /// The place that it occupies while it is sent.
  var place: PushPlaces.Place {
    PushPlaces.Place(
      isUrgent: isUrgent, account: row.account, service: text == nil ? nil : endpoint?.origin)
  }
}
