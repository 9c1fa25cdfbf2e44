import Operations
import Postgres
import ServiceKit
import Time

extension OutboxMetrics {
  /// How long dead orders are kept.
  private static let refusedKeptFor = Duration.seconds(7 * 86_400)

  /// Counts the pending orders and the dead letters of all processes, and deletes old dead orders.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func count(in database: Database, now: Instant) async throws(ApplicationError) {
    let pending = try await database.row(CountWaitingOrders())
    waiting.set(pending ?? 0)
    let events = try await database.row(CountDeadLetters(attempts: DeadLetters.stuckFrom))
    deadLetters.set(events?.all ?? 0)
    stuck.set(events?.stuck ?? 0)
    _ = try await database.effect(ForgetRefusedOrders(before: now - Self.refusedKeptFor))
  }
}
