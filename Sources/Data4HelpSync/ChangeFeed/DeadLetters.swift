import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit
import Time

/// Retries dead-letter events. Data4Help is asked for each event again, so that data erased or
/// ended in the meantime has no effect.
struct DeadLetters: Sendable {
  /// The interval between two rounds.
  static let every = Duration.seconds(1)
  /// The largest number of events retried in one round.
  static let countMax: Int64 = 20
  /// The number of attempts, reached after about four minutes, from which an operator should look.
  static let stuckFrom: Int32 = 8

  let environment: Environment
  let database: Database
  var data4help: Data4HelpClient
  let effects: any EventEffects
  let metrics: OutboxMetrics
  var log: Log

  /// One second at first, doubled with each attempt, at most one hour.
  static func pause(after attempts: Int32) -> Duration {
    min(.seconds(1) * (1 << min(max(Int(attempts) - 1, 0), 12)), .seconds(3600))
  }

  /// The same letters, whose calls and log lines carry the identifier of a round.
  func following(_ round: RequestID) -> DeadLetters {
    var letters = self
    letters.data4help = data4help.following(round)
    letters.log = log.following(round)
    return letters
  }

  /// Retries due events, while the sequence is read up to a number.
  ///
  /// - Throws: `unavailable` if the database or Data4Help is unreachable.
  func tryAgain(readTo position: Int64) async throws(ApplicationError) {
    let due = try await database.rows(
      DueDeadLetters(now: environment.now(), countMax: Self.countMax))
    for event in due {
      guard let page = try await page(of: event) else { continue }
      do throws(ApplicationError) { try await take(page, of: event, readTo: position) } catch {
        try await postpone(event, because: error)
      }
    }
  }

  /// The current form of an event at Data4Help; nil if Data4Help fails, which postpones the event.
  ///
  /// - Throws: `unavailable` if no replica is reachable.
  private func page(of event: DeadLetter) async throws(ApplicationError) -> InternalEventPage? {
    do throws(ApplicationError) {
      return try await data4help.events(after: event.after, upTo: event.number)
    } catch {
      guard error.reason == .internalError else { throw error }
      try await postpone(event, because: error)
      return nil
    }
  }

  private func take(
    _ page: InternalEventPage, of event: DeadLetter, readTo position: Int64
  ) async throws(ApplicationError) {
    guard page.unreadableCount == 0 else {
      throw .internalError(because: "This version can't decode the event.")
    }
    // Content that Data4Help has erased since is not in the page, and so has no effect.
    try await effects.store(
      page.events[...], at: .deadLetter(number: event.number, readTo: position))
    if page.next < event.number {
      metrics.lost.increment()
      log.failure(
        "retry event of Data4Help failed",
        ApplicationError.internalError(because: "Data4Help no longer has the event."),
        .number("seq", event.number), .safe("event", event.label))
    }
  }

  private func postpone(
    _ event: DeadLetter, because failure: ApplicationError
  ) async throws(ApplicationError) {
    let attempts = event.attempts + 1
    let until = environment.now() + Self.pause(after: attempts)
    _ = try await database.effect(
      PostponeDeadLetter(number: event.number, reason: failure.logText, until: until))
    guard attempts == Self.stuckFrom else { return }
    log.failure(
      "apply event of Data4Help failed repeatedly", failure, .number("seq", event.number),
      .safe("event", event.label))
  }
}

extension DeadLetter {
  fileprivate var label: EventLabel { EventLabel(kind: kind, requestID: requestID) }
}
