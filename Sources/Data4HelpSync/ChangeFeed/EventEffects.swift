import Domain
import InternalAPI
import Postgres
import ServiceKit
import Time

/// Applies the effects of Data4Help's events, in one transaction with the position in the sequence:
/// each effect is stored once, even after a crash.
///
/// Effects of dead letters come late, so each has the same result when applied after later events.
/// The end of a check-in is the exception: it must follow the answer to the check-in, and therefore
/// waits (docs/decisions/0031-dead-letters.md).
package protocol EventEffects: Sendable {
  /// Stores the effects of events that share a transaction, or of one event with its own
  /// transactions, together with the new position.
  ///
  /// - Throws: `internalError` for an event that can't be applied, `unavailable` if the database is
  ///   unreachable or another process has advanced the position.
  func store(
    _ events: ArraySlice<InternalEvent>, at position: EventPosition
  ) async throws(ApplicationError)
}

/// The position of events whose effects are applied.
package enum EventPosition: Sendable {
  /// Next in the sequence: the events advance it from one number to another.
  case next(from: Int64, to: Int64)
  /// A dead letter with this number, retried after the sequence was read up to `readTo`.
  case deadLetter(number: Int64, readTo: Int64)
}

extension Transaction<ApplicationError> {
  /// Advances the position past an event, or removes a dead letter.
  ///
  /// - Throws: `unavailable` if another process has done so; the transaction changes nothing then.
  package func leave(_ position: EventPosition) async throws(ApplicationError) {
    switch position {
    case .next(let from, let to):
      guard try await runOne(AdvanceChangeFeed(from: from, to: to)) != nil else {
        throw .unavailable()
      }
    case .deadLetter(let number, _):
      try await hold(position)
      guard try await runOne(RemoveDeadLetter(number: number)) != nil else { throw .unavailable() }
    }
  }

  /// Checks that no other process has advanced, and prevents it to the end of the transaction.
  ///
  /// - Throws: `unavailable` if one has.
  package func hold(_ position: EventPosition) async throws(ApplicationError) {
    let last =
      switch position {
      case .next(let from, _): from
      case .deadLetter(_, let readTo): readTo
      }
    let stay = AdvanceChangeFeed(from: last, to: last)
    guard try await runOne(stay) != nil else { throw .unavailable() }
  }

  /// The check-ins among those ending here whose answer is a dead letter: their end becomes a dead
  /// letter too, and takes effect after the answer.
  ///
  /// - Throws: `unavailable`.
  package func deferEnds(
    among events: ArraySlice<InternalEvent>, at position: EventPosition, now: Instant
  ) async throws(ApplicationError) -> Set<DataRequestID> {
    guard case .next(let from, _) = position else { return [] }
    let ended = events.filter { $0.deadLetterKind == .ended }
    guard !ended.isEmpty else { return [] }
    let found = try await run(RequestsWithDeadLetters(requestIDs: ended.compactMap(\.requestID)))
    let waiting = Set(found.compactMap(\.self))
    for event in ended where event.requestID.map(waiting.contains) == true {
      let after = events.last { $0.number < event.number }?.number ?? from
      try await run(
        StoreDeadLetter(
          event, after: after, because: "The answer before it is pending.", now: now))
    }
    return waiting
  }
}
