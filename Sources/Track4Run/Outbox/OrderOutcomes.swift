import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// The progress of sending orders.
enum SendingProgress: Equatable {
  /// Nothing is due.
  case idle
  /// There may be more.
  case busy
  /// Data4Help is unavailable: all orders stay pending.
  case away
}

/// The outcomes of orders, to store in the outbox.
struct OrderOutcomes {
  private var done: [UniversalID] = []
  private var refused: [(order: UniversalID, error: ApplicationError)] = []
  private var failed: [(order: WaitingOrder, error: ApplicationError)] = []
  private(set) var isAway = false

  /// Adds the reply to orders that were sent together.
  mutating func add(_ reply: OrderReply, to orders: [WaitingOrder]) {
    switch reply {
    case .done: done += orders.map(\.orderID)
    case .refused(let error): refused += orders.map { ($0.orderID, error) }
    case .failed(let error): failed += orders.map { ($0, error) }
    case .away: isAway = true
    }
  }

  /// Stores the outcomes: executed orders are removed, refused ones become dead letters, failed
  /// ones are postponed.
  ///
  /// - Throws: `unavailable` if the database is unreachable; the orders are sent again, which has
  ///   no second effect.
  func note(in surroundings: RunSurroundings) async throws(ApplicationError) -> SendingProgress {
    let now = surroundings.world.now()
    let (done, refused, failed) = (done, refused, failed)
    try await surroundings.database.transaction { (transaction) throws(ApplicationError) in
      if !done.isEmpty { try await transaction.run(RemoveOrders(orderIDs: done)) }
      if !refused.isEmpty {
        try await transaction.run(SetOrdersAside(orderIDs: refused.map { $0.order }, now: now))
      }
      if !failed.isEmpty {
        try await transaction.run(
          PostponeOrders(
            orderIDs: failed.map(\.order.orderID),
            until: failed.map { now + Self.pause(after: $0.order.attempts) }))
      }
    }
    tell(surroundings)
    return isAway ? .away : .busy
  }

  private func tell(_ surroundings: RunSurroundings) {
    surroundings.metrics.carriedOut.increment(by: UInt64(done.count))
    surroundings.metrics.refused.increment(by: UInt64(refused.count))
    for (order, error) in refused {
      surroundings.log.failure("send order failed permanently", error, .safe("order", order))
    }
    for (order, error) in failed {
      surroundings.log.failure(
        "send order failed", error, level: .warning, .safe("order", order.orderID),
        .number("attempts", order.attempts + 1))
    }
  }

  /// One second at first, ten minutes at last.
  private static func pause(after attempts: Int32) -> Duration {
    min(.seconds(1) * (1 << min(Int(attempts), 10)), .seconds(600))
  }
}
