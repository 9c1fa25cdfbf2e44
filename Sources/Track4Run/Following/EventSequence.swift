import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Stores what follows from events in the order of the sequence, with how far it was read. What
/// fails for itself is set aside, and the sequence goes on.
struct EventSequence: Sendable {
  let effects: EventEffects
  let surroundings: RunSurroundings

  /// Stores what follows from events, in their order, and the number that they lead to; gives how
  /// far the sequence was read then.
  ///
  /// What stands between events that have transactions of their own shares one. While `isPatient`,
  /// only a fault of ours sets an event aside, and else whatever fails beside others that don't.
  ///
  /// - Throws: 503 if the database is away, or another process has read on.
  func store(
    _ events: [InternalEvent], from position: Int64, to next: Int64, isPatient: Bool
  ) async throws(ApplicationError) -> Int64 {
    var position = position
    for part in events.filter({ $0.number > position }).parts {
      position = try await store(part, from: position, isPatient: isPatient)
    }
    guard next > position else { return position }
    try await effects.store([], at: .next(from: position, to: next))
    return next
  }

  /// A part that fails is halved, down to the events that fail for themselves.
  private func store(
    _ part: ArraySlice<InternalEvent>, from position: Int64, isPatient: Bool
  ) async throws(ApplicationError) -> Int64 {
    guard let last = part.last else { return position }
    let failure: ApplicationError
    do throws(ApplicationError) {
      try await effects.store(part, at: .next(from: position, to: last.number))
      return last.number
    } catch {
      guard error.reason == .internalError || !isPatient else { throw error }
      failure = error
    }
    guard part.count > 1 else {
      try await setAside(last, from: position, because: failure)
      return last.number
    }
    let middle = part.startIndex + part.count / 2
    let half = try await store(part[..<middle], from: position, isPatient: isPatient)
    return try await store(part[middle...], from: half, isPatient: isPatient)
  }

  private func setAside(
    _ event: InternalEvent, from position: Int64, because failure: ApplicationError
  ) async throws(ApplicationError) {
    let now = surroundings.world.now()
    try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      try await transaction.leave(.next(from: position, to: event.number))
      try await transaction.run(
        SetEventAside(event, behind: position, because: failure.logText, now: now))
    }
    surroundings.metrics.setAside.increment()
    surroundings.log.failure(
      "apply event of Data4Help failed", failure, level: .warning, .number("seq", event.number))
  }
}

extension SetEventAside {
  /// An event that is tried again as soon as one that has failed once.
  init(_ event: InternalEvent, behind: Int64, because reason: String, now: WallTime) {
    self.init(
      number: event.number, behind: behind, kind: event.asideKind, requestID: event.requestID,
      reason: reason, attempts: 1, now: now, until: now + EventsAside.pause(after: 1))
  }
}

extension InternalEvent {
  /// Whether it has transactions of its own.
  fileprivate var isApart: Bool {
    switch content {
    case .accountDeleted, .erased, .unreadable: true
    case .samples, .answered, .ended, .unavailable: false
    }
  }

  /// What it tells, where it is set aside.
  var asideKind: AsideKind {
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
  /// The events in their order: those with transactions of their own alone, the others with those
  /// next to them.
  fileprivate var parts: [ArraySlice<InternalEvent>] {
    var parts: [ArraySlice<InternalEvent>] = []
    for index in indices {
      if let first = parts.last?.startIndex, !self[first].isApart, !self[index].isApart {
        parts[parts.count - 1] = self[first...index]
      } else {
        parts.append(self[index...index])
      }
    }
    return parts
  }
}
