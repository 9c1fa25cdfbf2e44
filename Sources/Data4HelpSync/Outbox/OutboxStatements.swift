import Bytes
import Postgres
import Time

/// Statements of the outbox, listed for the schema check.
enum OutboxStatements {
  static let all: [any Statement.Type] = [
    AddOrders.self, WaitingOrders.self, RemoveOrders.self, PostponeOrders.self,
    RejectOrders.self, CountWaitingOrders.self, ForgetRefusedOrders.self,
    SealedOrderPage.self, StoreResealedOrders.self,
  ]
}

/// The kind of an order, as a number.
package enum OutboxKind: Int16, PostgresValue {
  case checkIns = 1
  case ends = 2
  case notice = 3
  case mail = 4
}

/// An order that has not been executed yet.
package struct WaitingOrder: Sendable {
  let orderID: UniversalID
  /// Which kind of order the content is.
  package let kind: OutboxKind
  /// The run of an order for check-ins.
  package let runID: Int64?
  let sealed: [UInt8]
  let attempts: Int32
}

/// Writes orders, numbered in the given order.
struct AddOrders: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.outbox (
           order_id, kind, run_id, sealed_order, added_at, next_attempt_at)
    SELECT order_id, kind, run_id, sealed_order, \(\.now), next_attempt_at
      FROM unnest(\(\.orderIDs), \(\.kinds), \(\.runIDs), \(\.sealed), \(\.times))
             AS given (order_id, kind, run_id, sealed_order, next_attempt_at)
    """
  let now: Instant
  private(set) var orderIDs: [UniversalID] = []
  private(set) var kinds: [OutboxKind] = []
  private(set) var runIDs: [Int64?] = []
  private(set) var sealed: [[UInt8]] = []
  private(set) var times: [Instant] = []

  init(now: Instant) { self.now = now }

  /// Whether there is nothing to write.
  var isEmpty: Bool { orderIDs.isEmpty }

  /// Adds an order that is due from a time on.
  mutating func append(
    _ order: OutboxOrder, _ orderID: UniversalID, sealed: [UInt8], at time: Instant
  ) {
    orderIDs.append(orderID)
    kinds.append(order.kind)
    runIDs.append(order.runID)
    self.sealed.append(sealed)
    times.append(time)
  }
}

/// The oldest due orders of some kinds. Uses the index on orders that are not dead letters.
struct WaitingOrders: Statement {
  typealias Row = WaitingOrder
  static let sql: SQL<Self> = """
    SELECT order_id, kind, run_id, sealed_order, attempts
      FROM track4run.outbox
     WHERE refused_at IS NULL
       AND kind = ANY (\(\.kinds))
       AND next_attempt_at <= \(\.now)
     ORDER BY number
     LIMIT \(\.countMax)
    """
  static let columns = Columns(WaitingOrder.init)
  let kinds: [OutboxKind]
  let now: Instant
  let countMax: Int64
}

/// Removes executed orders.
struct RemoveOrders: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.outbox WHERE order_id = ANY (\(\.orderIDs))
    """
  let orderIDs: [UniversalID]
}

/// Postpones orders that Data4Help failed to execute, each until its own time.
struct PostponeOrders: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.outbox AS waiting
       SET attempts = waiting.attempts + 1, next_attempt_at = given.until
      FROM unnest(\(\.orderIDs), \(\.until)) AS given (order_id, until)
     WHERE waiting.order_id = given.order_id
    """
  let orderIDs: [UniversalID]
  let until: [Instant]
}

/// Moves orders that Data4Help does not accept to the dead letters.
struct RejectOrders: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.outbox SET refused_at = \(\.now) WHERE order_id = ANY (\(\.orderIDs))
    """
  let orderIDs: [UniversalID]
  let now: Instant
}

/// Counts pending orders. Uses the index on those, whose size is that of the outbox.
struct CountWaitingOrders: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM track4run.outbox WHERE refused_at IS NULL
    """
}

/// Deletes old dead letters.
struct ForgetRefusedOrders: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.outbox WHERE refused_at <= \(\.before)
    """
  let before: Instant
}
