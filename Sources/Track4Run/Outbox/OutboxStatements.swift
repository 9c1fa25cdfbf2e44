import EventLoop
import Postgres
import Privacy
import Services

/// The statements of the outbox, for the check against the schema.
enum OutboxStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    AddOrders.self, WaitingOrders.self, RemoveOrders.self, PostponeOrders.self,
    SetOrdersAside.self, CountWaitingOrders.self, ForgetRefusedOrders.self,
  ]
}

/// What an order asks for, as a number.
enum OutboxKind: Int16, PostgresValue {
  case checkIns = 1
  case ends = 2
  case notice = 3
  case mail = 4
}

/// An order that was not carried out yet.
struct WaitingOrder: Sendable {
  let orderID: UniversalID
  let kind: OutboxKind
  /// Of check-ins to ask for.
  let runID: Int64?
  let sealed: [UInt8]
  let attempts: Int32
}

/// Writes orders, numbered in their order.
struct AddOrders: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.outbox (
           order_id, kind, run_id, sealed_order, added_at, next_attempt_at)
    SELECT order_id, kind, run_id, sealed_order, \(\.now), next_attempt_at
      FROM unnest(\(\.orderIDs), \(\.kinds), \(\.runIDs), \(\.sealed), \(\.times))
             AS given (order_id, kind, run_id, sealed_order, next_attempt_at)
    """
  let now: WallTime
  private(set) var orderIDs: [UniversalID] = []
  private(set) var kinds: [OutboxKind] = []
  private(set) var runIDs: [Int64?] = []
  private(set) var sealed: [[UInt8]] = []
  private(set) var times: [WallTime] = []

  init(now: WallTime) { self.now = now }

  /// Whether there is nothing to write.
  var isEmpty: Bool { orderIDs.isEmpty }

  /// Adds an order that is to be carried out from a time on.
  mutating func append(
    _ order: OutboxOrder, _ orderID: UniversalID, sealed: [UInt8], at time: WallTime
  ) {
    orderIDs.append(orderID)
    kinds.append(order.kind)
    runIDs.append(order.runID)
    self.sealed.append(sealed)
    times.append(time)
  }
}

/// The oldest orders of some kinds that are due. By the index of those that are not set aside.
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
  let now: WallTime
  let countMax: Int64
}

/// Removes orders that were carried out.
struct RemoveOrders: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.outbox WHERE order_id = ANY (\(\.orderIDs))
    """
  let orderIDs: [UniversalID]
}

/// Puts orders off that Data4Help failed to carry out, each until a time of its own.
struct PostponeOrders: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.outbox AS waiting
       SET attempts = waiting.attempts + 1, next_attempt_at = given.until
      FROM unnest(\(\.orderIDs), \(\.until)) AS given (order_id, until)
     WHERE waiting.order_id = given.order_id
    """
  let orderIDs: [UniversalID]
  let until: [WallTime]
}

/// Sets orders aside that Data4Help does not take.
struct SetOrdersAside: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.outbox SET refused_at = \(\.now) WHERE order_id = ANY (\(\.orderIDs))
    """
  let orderIDs: [UniversalID]
  let now: WallTime
}

/// How many orders wait; by the index of those, which is as long as the outbox.
struct CountWaitingOrders: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM track4run.outbox WHERE refused_at IS NULL
    """
}

/// Forgets orders that were set aside long ago.
struct ForgetRefusedOrders: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.outbox WHERE refused_at <= \(\.before)
    """
  let before: WallTime
}
