import EventLoop
import HTTP
import Operations
import Postgres
import Services

/// Tries events again that were set aside: asks Data4Help for each anew, so that nothing has an
/// effect that was erased or ended meanwhile.
struct EventsAside: Sendable {
  /// How often it is looked for some.
  static let every = Duration.seconds(1)
  /// Events that are tried at one look.
  static let countMax: Int64 = 20
  /// From so many attempts on, after about four minutes, somebody should look.
  static let stuckFrom: Int32 = 8

  let effects: EventEffects
  let surroundings: RunSurroundings

  /// One second at first, doubled with every attempt, an hour at last.
  static func pause(after attempts: Int32) -> Duration {
    min(.seconds(1) * (1 << min(max(Int(attempts) - 1, 0), 12)), .seconds(3600))
  }

  /// Tries what is due, while the sequence is read to a number.
  ///
  /// - Throws: 503 if the database or Data4Help is away.
  func tryAgain(readTo position: Int64) async throws(ApplicationError) {
    let due = try await surroundings.database.rows(
      DueEvents(now: surroundings.world.now(), countMax: Self.countMax))
    for event in due {
      guard let page = try await page(of: event) else { continue }
      do throws(ApplicationError) { try await take(page, of: event, readTo: position) } catch {
        try await postpone(event, because: error)
      }
    }
  }

  /// What Data4Help tells now; nil where it fails to, and the event is put off.
  ///
  /// - Throws: 503 if no replica is there.
  private func page(of event: AsideEvent) async throws(ApplicationError) -> InternalEventPage? {
    do throws(ApplicationError) {
      return try await surroundings.data4help.events(behind: event.behind, upTo: event.number)
    } catch {
      guard error.reason == .internalError else { throw error }
      try await postpone(event, because: error)
      return nil
    }
  }

  private func take(
    _ page: InternalEventPage, of event: AsideEvent, readTo position: Int64
  ) async throws(ApplicationError) {
    guard page.unreadableCount == 0 else {
      throw .internalError(because: "This version can't read it.")
    }
    // What is not told any more reaches nobody.
    try await effects.store(
      page.events[...], at: .aside(number: event.number, readTo: position))
    if page.next < event.number {
      surroundings.metrics.lost.increment()
      surroundings.log.error(
        "retry event of Data4Help failed",
        [.word("cause", "Data4Help no longer has the event"), .number("seq", event.number)])
    }
  }

  private func postpone(
    _ event: AsideEvent, because failure: ApplicationError
  ) async throws(ApplicationError) {
    let attempts = event.attempts + 1
    let until = surroundings.world.now() + Self.pause(after: attempts)
    _ = try await surroundings.database.effect(
      PostponeEvent(number: event.number, reason: failure.logText, until: until))
    guard attempts == Self.stuckFrom else { return }
    surroundings.log.failure(
      "apply event of Data4Help failed repeatedly", failure, .number("seq", event.number))
  }
}
