import Bytes
import Cryptography
import Postgres
import ServiceKit

/// The sealed orders of the outbox, which are sealed again when the root secret is replaced.
package struct SealedOrders: ServerSealedColumn {
  /// An order.
  package struct Row: Sendable {
    let id: UniversalID
    let sealed: [UInt8]
  }

  private let root: RootSecret

  /// The orders sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "orders of Track4Run"

  /// The orders after one, by their identifiers.
  package func page(after last: Row?) -> SealedOrderPage {
    SealedOrderPage(after: last?.id ?? UniversalID(high: 0, low: 0))
  }

  /// The order under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: Row) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(outboxOf: root).resealed(row.sealed.span, for: Outbox.context(of: row.id))
  }

  /// Stores orders.
  package func store(_ rows: [(row: Row, sealed: [UInt8])]) -> StoreResealedOrders {
    StoreResealedOrders(
      ids: rows.map(\.row.id), former: rows.map(\.row.sealed), sealed: rows.map(\.sealed))
  }
}

/// A page of orders. Reads the table by its primary key.
package struct SealedOrderPage: Statement {
  /// An order.
  package typealias Row = SealedOrders.Row
  package static let sql: SQL<Self> = """
    SELECT order_id, sealed_order
      FROM track4run.outbox
     WHERE order_id > \(\.after)
     ORDER BY order_id
     LIMIT 500
    """
  package static let columns = Columns(SealedOrders.Row.init)
  let after: UniversalID
}

/// Stores orders that were sealed again, unless they have changed or are locked.
package struct StoreResealedOrders: Statement {
  /// One for each stored order.
  package typealias Row = UniversalID
  package static let sql: SQL<Self> = """
    WITH free AS (
           SELECT order_id
             FROM track4run.outbox
            WHERE order_id = ANY (\(\.ids))
              FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE track4run.outbox AS stored
       SET sealed_order = renewed.sealed
      FROM unnest(\(\.ids), \(\.former), \(\.sealed)) AS renewed (order_id, former, sealed)
      JOIN free USING (order_id)
     WHERE stored.order_id = renewed.order_id
       AND stored.sealed_order = renewed.former
    RETURNING stored.order_id
    """
  let ids: [UniversalID]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
