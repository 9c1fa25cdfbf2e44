import Bytes
import Operations
import Postgres
import ServiceKit
import Time

/// The progress of sending orders.
package enum DispatchProgress: Equatable, Sendable {
  /// Nothing is due.
  case idle
  /// There may be more.
  case busy
  /// Data4Help is unavailable: all orders stay pending.
  case unavailable
}

/// The outcomes of orders, to store in the outbox.
package struct OrderOutcomes: Sendable {
  private var done: [UniversalID] = []
  private var refused: [Failure] = []
  private var failed: [Failure] = []
  private var unavailable: [Failure] = []

  /// An order that was not executed, and the identifier of its call; nil if there was none.
  private struct Failure {
    let order: WaitingOrder
    let error: ApplicationError
    let call: RequestID?

    /// The log, with the identifier of the call.
    func log(_ log: Log) -> Log { call.map(log.following) ?? log }
  }

  /// Creates outcomes of no orders.
  package init() {}

  /// Adds the reply to orders that were sent together by a call with this identifier; nil if they
  /// were not sent.
  package mutating func add(
    _ reply: OrderReply, to orders: [WaitingOrder], by call: RequestID? = nil
  ) {
    switch reply {
    case .done: done += orders.map(\.orderID)
    case .refused(let error):
      refused += orders.map { Failure(order: $0, error: error, call: call) }
    case .failed(let error):
      failed += orders.map { Failure(order: $0, error: error, call: call) }
    case .unavailable(let error):
      unavailable += orders.map { Failure(order: $0, error: error, call: call) }
    }
  }

  /// Stores the outcomes: executed orders are removed, refused ones become dead letters, failed
  /// ones are postponed. Those that no replica received stay due, with one line in the log.
  ///
  /// - Throws: `unavailable` if the database is unreachable; the orders are sent again, which has
  ///   no second effect.
  package func note(
    at now: Instant, in database: Database, metrics: OutboxMetrics, log: Log
  ) async throws(ApplicationError) -> DispatchProgress {
    let (done, refused, failed) = (done, refused, failed)
    try await database.transaction { (transaction) throws(ApplicationError) in
      if !done.isEmpty { try await transaction.run(RemoveOrders(orderIDs: done)) }
      if !refused.isEmpty {
        try await transaction.run(RejectOrders(orderIDs: refused.map(\.order.orderID), now: now))
      }
      if !failed.isEmpty {
        try await transaction.run(
          PostponeOrders(
            orderIDs: failed.map(\.order.orderID),
            until: failed.map { now + Self.pause(after: $0.order.attempts) }))
      }
    }
    report(to: metrics, log)
    return unavailable.isEmpty ? .busy : .unavailable
  }

  private func report(to metrics: OutboxMetrics, _ log: Log) {
    metrics.carriedOut.increment(by: UInt64(done.count))
    metrics.refused.increment(by: UInt64(refused.count))
    for failure in refused {
      failure.log(log).failure(
        "send order failed permanently", failure.error, .safe("order", failure.order.orderID))
    }
    for failure in failed {
      failure.log(log).failure(
        "send order failed", failure.error, level: .warning,
        .safe("order", failure.order.orderID), .number("attempts", failure.order.attempts + 1))
    }
    if let first = unavailable.first {
      first.log(log).failure(
        "send orders failed", first.error, level: .warning,
        .safe("order", first.order.orderID), .number("orders", unavailable.count))
    }
  }

  /// One second at first, ten minutes at last.
  private static func pause(after attempts: Int32) -> Duration {
    min(.seconds(1) * (1 << min(Int(attempts), 10)), .seconds(600))
  }
}
