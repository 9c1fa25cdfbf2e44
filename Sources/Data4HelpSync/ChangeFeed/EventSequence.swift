import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit
import Time

/// Applies events in the order of the sequence and stores the position. Events that fail
/// permanently become dead letters, and the sequence continues.
struct EventSequence: Sendable {
  let environment: Environment
  let database: Database
  let effects: any EventEffects
  let metrics: OutboxMetrics
  var log: Log

  /// The same sequence, whose log lines carry the identifier of the call that returned the events.
  func following(_ call: RequestID) -> EventSequence {
    var sequence = self
    sequence.log = log.following(call)
    return sequence
  }

  /// Stores the effects of events, in their order, and the number to which they advance; returns
  /// the stored position.
  ///
  /// Events between those with their own transactions share one. While `mayRetry`, only an
  /// `internalError` makes an event a dead letter; otherwise every failure does.
  ///
  /// - Throws: `unavailable` if the database is unreachable or another process has advanced the
  ///   position.
  func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64, mayRetry: Bool
  ) async throws(ApplicationError) -> Int64 {
    var position = position
    for part in events.filter({ $0.number > position }).parts {
      position = try await store(part, from: position, mayRetry: mayRetry)
    }
    guard next > position else { return position }
    try await effects.store([], at: .next(from: position, to: next))
    return next
  }

  /// Halves a failing part down to the events that fail on their own.
  private func store(
    _ part: ArraySlice<InternalEvent>, from position: Int64, mayRetry: Bool
  ) async throws(ApplicationError) -> Int64 {
    guard let last = part.last else { return position }
    let failure: ApplicationError
    do throws(ApplicationError) {
      try await effects.store(part, at: .next(from: position, to: last.number))
      return last.number
    } catch {
      guard error.reason == .internalError || !mayRetry else { throw error }
      failure = error
    }
    guard part.count > 1 else {
      try await storeDeadLetter(last, from: position, because: failure)
      return last.number
    }
    let middle = part.startIndex + part.count / 2
    let half = try await store(part[..<middle], from: position, mayRetry: mayRetry)
    return try await store(part[middle...], from: half, mayRetry: mayRetry)
  }

  private func storeDeadLetter(
    _ event: InternalEvent, from position: Int64, because failure: ApplicationError
  ) async throws(ApplicationError) {
    let now = environment.now()
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await transaction.leave(.next(from: position, to: event.number))
      try await transaction.run(
        StoreDeadLetter(event, after: position, because: failure.logText, now: now))
    }
    metrics.deadLettered.increment()
    log.failure(
      "apply event of Data4Help failed", failure, level: .warning, .number("seq", event.number),
      .safe("event", event.label))
  }
}

extension StoreDeadLetter {
  /// Creates a dead letter that is retried after the pause of a first failure.
  init(_ event: InternalEvent, after: Int64, because reason: String, now: Instant) {
    self.init(
      number: event.number, after: after, kind: event.deadLetterKind, requestID: event.requestID,
      reason: reason, attempts: 1, now: now, until: now + DeadLetters.pause(after: 1))
  }
}

extension InternalEvent {
  /// Whether the event has its own transactions.
  fileprivate var needsOwnTransactions: Bool {
    switch content {
    case .accountDeleted, .erased, .unreadable: true
    case .samples, .answered, .ended, .unavailable: false
    }
  }

  fileprivate var label: EventLabel {
    var label = EventLabel(kind: deadLetterKind, requestID: requestID)
    if case .accountDeleted(let account) = content { label.account = account }
    return label
  }

  /// The kind under which the event is stored as a dead letter.
  var deadLetterKind: DeadLetterKind {
    switch content {
    case .samples: .samples
    case .answered: .answered
    case .ended: .ended
    case .erased: .erased
    case .accountDeleted: .accountDeleted
    case .unavailable, .unreadable: .unreadable
    }
  }
}

extension [InternalEvent] {
  /// The events in order: an event that needs its own transactions is a group by itself,
  /// neighbouring others are one group.
  fileprivate var parts: [ArraySlice<InternalEvent>] {
    var parts: [ArraySlice<InternalEvent>] = []
    for index in indices {
      if let first = parts.last?.startIndex, !self[first].needsOwnTransactions,
        !self[index].needsOwnTransactions
      {
        parts[parts.count - 1] = self[first...index]
      } else {
        parts.append(self[index...index])
      }
    }
    return parts
  }
}
