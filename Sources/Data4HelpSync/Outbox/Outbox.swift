import Bytes
import Cryptography
import Domain
import EventLoop
import JSON
import Postgres
import ServiceKit
import Time

/// The orders of Track4Run to Data4Help, written in the transaction of their cause.
///
/// An order exists if and only if that transaction commits, and is then executed exactly once, even
/// after a crash. One per loop.
package struct Outbox: Sendable {
  private let key: LoopBound<SealingKey>
  private let environment: Environment
  private let wakeUp: WakeUpSignal

  /// Creates an outbox on this loop, sealed by a server key; `wakeUp` wakes the senders.
  package init(
    root: RootSecret, environment: Environment, wakeUp: WakeUpSignal = WakeUpSignal(),
    on loop: EventLoop
  ) {
    key = LoopBound(SealingKey(outboxOf: root), on: loop)
    self.environment = environment
    self.wakeUp = wakeUp
  }

  /// Writes orders, split if they exceed one call; `announce` follows the commit.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func add(
    _ orders: [OutboxOrder], after pause: Duration = .zero,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let rows = rows(of: orders, after: pause)
    guard !rows.isEmpty else { return }
    try await transaction.run(rows)
  }

  /// The statement that writes orders, for a pipeline with others.
  package func addition(of orders: [OutboxOrder]) -> some Statement {
    rows(of: orders, after: .zero)
  }

  private func rows(of orders: [OutboxOrder], after pause: Duration) -> AddOrders {
    let now = environment.now()
    var rows = AddOrders(now: now)
    for order in orders.flatMap(\.parts) {
      let orderID = UniversalID.random()
      rows.append(order, orderID, sealed: seal(order.document, orderID), at: now + pause)
    }
    return rows
  }

  /// The oldest due orders of some kinds.
  ///
  /// - Throws: `unavailable` if the database is unreachable.
  package func waiting(
    _ kinds: [OutboxKind], countMax: Int64, in database: Database
  ) async throws(ApplicationError) -> [WaitingOrder] {
    try await database.rows(WaitingOrders(kinds: kinds, now: environment.now(), countMax: countMax))
  }

  /// Wakes the senders of this process; those of other replicas poll.
  package func announce() { wakeUp.signal() }

  /// Calls `listener` whenever this process has written an order.
  package func onSignal(_ listener: @escaping @Sendable () -> Void) { wakeUp.onSignal(listener) }

  private func seal(_ document: any JSONWritable, _ orderID: UniversalID) -> [UInt8] {
    var writer = JSONWriter()
    document.write(to: &writer)
    return key.value.seal(writer.bytes.span, for: Self.context(of: orderID))
  }

  /// The content of an order.
  ///
  /// - Throws: `internalError` for an unreadable order.
  package func opened<Document: JSONReadable>(
    _ row: WaitingOrder, _ type: Document.Type = Document.self
  ) throws(ApplicationError) -> Document {
    try mapStorageError { () throws(CryptographyError) in
      try key.value.openJSON(type, row.sealed.span, for: Self.context(of: row.orderID))
    }
  }

  static func context(of orderID: UniversalID) -> SealContext {
    SealContext(table: "outbox", column: "sealed_order", row: SealRow(orderID))
  }
}
