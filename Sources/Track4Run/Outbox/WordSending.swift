import Domain
import EventLoop
import HTTP
import Privacy
import Services

/// Sends the notices and mails of the outbox, several in parallel.
struct WordSending: Sendable {
  /// The largest number of orders sent at the same time.
  static let parallelMax: Int64 = 8

  let surroundings: RunSurroundings

  /// Sends the oldest due orders.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  func send() async throws(ApplicationError) -> SendingProgress {
    let orders = try await surroundings.database.rows(
      WaitingOrders(
        kinds: [.notice, .mail], now: surroundings.world.now(), countMax: Self.parallelMax))
    guard !orders.isEmpty else { return .idle }
    let outcomes = await withTaskGroup(of: Answered.self) { group in
      for order in orders {
        group.addTask { Answered(order: order, reply: await reply(to: order)) }
      }
      return await group.reduce(into: OrderOutcomes()) { $0.add($1.reply, to: [$1.order]) }
    }
    return try await outcomes.note(in: surroundings)
  }

  /// An order and its reply.
  private struct Answered {
    let order: WaitingOrder
    let reply: OrderReply
  }

  private func reply(to order: WaitingOrder) async -> OrderReply {
    let key = order.orderID.description
    do throws(ApplicationError) {
      switch order.kind {
      case .notice:
        return await surroundings.data4help.order(
          InternalPath.notices, try surroundings.outbox.opened(order, NoticeOrder.self), key: key)
      case .mail:
        return await surroundings.data4help.order(
          InternalPath.mails, try surroundings.outbox.opened(order, MailOrder.self), key: key)
      case .checkIns, .ends:
        return .failed(.internalError(because: "This kind of order is sent in batches."))
      }
    } catch {
      return .refused(error)
    }
  }
}
