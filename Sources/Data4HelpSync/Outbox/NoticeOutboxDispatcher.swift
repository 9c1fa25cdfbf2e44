import Bytes
import Domain
import EventLoop
import InternalAPI
import Operations
import Postgres
import ServiceKit

/// Sends the notices and mails of the outbox, several in parallel.
package struct NoticeOutboxDispatcher: Sendable {
  /// The largest number of orders sent at the same time.
  static let parallelMax: Int64 = 8

  private let environment: Environment
  private let database: Database
  private let outbox: Outbox
  private let data4help: Data4HelpClient
  private let metrics: OutboxMetrics
  private let log: Log

  /// Creates the sending of this outbox's orders.
  package init(
    environment: Environment, database: Database, outbox: Outbox, data4help: Data4HelpClient,
    metrics: OutboxMetrics, log: Log
  ) {
    self.environment = environment
    self.database = database
    self.outbox = outbox
    self.data4help = data4help
    self.metrics = metrics
    self.log = log
  }

  /// Sends the oldest due orders.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func send() async throws(ApplicationError) -> DispatchProgress {
    let orders = try await outbox.waiting(
      [.notice, .mail], countMax: Self.parallelMax, in: database)
    guard !orders.isEmpty else { return .idle }
    let outcomes = await withTaskGroup(of: Answered.self) { group in
      for order in orders {
        group.addTask {
          let call = RequestID.random()
          return Answered(order: order, call: call, reply: await reply(to: order, by: call))
        }
      }
      return await group.reduce(into: OrderOutcomes()) {
        $0.add($1.reply, to: [$1.order], by: $1.call)
      }
    }
    return try await outcomes.note(at: environment.now(), in: database, metrics: metrics, log: log)
  }

  /// An order, the identifier of its call, and the reply.
  private struct Answered {
    let order: WaitingOrder
    let call: RequestID
    let reply: OrderReply
  }

  private func reply(to order: WaitingOrder, by call: RequestID) async -> OrderReply {
    let data4help = data4help.following(call)
    let key = order.orderID.description
    do throws(ApplicationError) {
      switch order.kind {
      case .notice:
        return await data4help.order(
          InternalPath.notices, try outbox.opened(order, NoticeOrder.self), key: key)
      case .mail:
        return await data4help.order(
          InternalPath.mails, try outbox.opened(order, MailOrder.self), key: key)
      case .checkIns, .ends:
        return .failed(.internalError(because: "This kind of order is sent in batches."))
      }
    } catch {
      return .refused(error)
    }
  }
}
