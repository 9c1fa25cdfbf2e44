import Domain
import Postgres
import ServiceKit
import Time

/// The statements of payments, for the check against the schema.
package enum PaymentStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    MakeDue.self, LockPayment.self, PaymentToConfirm.self, NextAttempt.self, KeepCheckout.self,
    MarkPaid.self, PaymentsOfThirdParty.self, MarkGroupPaid.self, LockRequest.self,
    WaivePayment.self,
  ]
}

/// The payment of a request, due or made.
struct PaymentRow: Sendable {
  /// The status of a payment, by its API names.
  enum Standing: String {
    /// To be paid.
    case due
    /// Paid.
    case paid
    /// The request ended before it was paid.
    case dropped
  }

  let requestID: DataRequestID
  let thirdParty: AccountID
  let amount: Int64
  let dueAt: Instant
  let attempt: Int32
  let openedAt: Instant?
  /// The broker whose page was opened; nil before the first page, and for pages opened before the
  /// column existed.
  let broker: String?
  let checkoutURL: String?
  /// The broker's identifier of the page; for a paid request, of the page on which it was paid.
  let checkoutID: String?
  let paidAt: Instant?
  /// Whether the request still waits for it, unless the request has expired.
  let isWaitedFor: Bool
  /// When the request ends by itself; nil for never, and before its acceptance.
  let endsAt: Instant?

  /// Its status at this time, even before the end of the request is stored.
  func standing(at now: Instant) -> Standing {
    if paidAt != nil { return .paid }
    let isOver = endsAt.map { $0 <= now } ?? false
    return isWaitedFor && !isOver ? .due : .dropped
  }

  /// The columns in the order of the properties, of `payment`.
  static let columnList: StaticString = """
    payment.request_id, payment.third_party_id, payment.amount_cents, payment.due_at,
           payment.attempt, payment.opened_at, payment.broker, payment.checkout_url,
           payment.checkout_id, payment.paid_at,
           EXISTS (SELECT FROM data4help.single_requests AS single
                    WHERE single.request_id = payment.request_id
                      AND single.status = 6)
             OR EXISTS (SELECT FROM data4help.group_requests AS asked
                         WHERE asked.request_id = payment.request_id
                           AND asked.status = 1
                           AND asked.price_cents > 0
                           AND asked.paid_at IS NULL),
           coalesce(
             (SELECT single.ends_at
                FROM data4help.single_requests AS single
               WHERE single.request_id = payment.request_id),
             (SELECT asked.ends_at
                FROM data4help.group_requests AS asked
               WHERE asked.request_id = payment.request_id))
    """
  static let columns = Columns(PaymentRow.init)

  /// The error for paying a request that has no payment.
  ///
  /// - Returns: `conflict` for a request of the caller's that costs nothing, else `notFound`.
  static func nothingDue(
    _ requestID: DataRequestID, of thirdParty: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> ApplicationError {
    let single = try await transaction.runOne(RequestByID(requestID: requestID))
    let group = try await transaction.runOne(GroupRequestByID(requestID: requestID))
    guard single?.thirdParty == thirdParty || group?.thirdParty == thirdParty else {
      return .notFound
    }
    return .conflict("Nothing is due for the request.")
  }
}

/// Stores that a request waits for its payment.
package struct MakeDue: Statement {
  package static let sql: SQL<Self> = """
    INSERT INTO data4help.payments (request_id, third_party_id, amount_cents, due_at)
    VALUES (\(\.requestID), \(\.thirdParty), \(\.amount), \(\.now))
    """
  let requestID: DataRequestID
  let thirdParty: AccountID
  let amount: Int64
  let now: Instant

  /// A payment of `amount` cents, due from now on.
  package init(requestID: DataRequestID, thirdParty: AccountID, amount: Int64, now: Instant) {
    self.requestID = requestID
    self.thirdParty = thirdParty
    self.amount = amount
    self.now = now
  }
}

/// The payment of a third party's request, locked. By the primary key.
struct LockPayment: Statement {
  typealias Row = PaymentRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: PaymentRow.columnList)
      FROM data4help.payments AS payment
     WHERE payment.request_id = \(\.requestID)
       AND payment.third_party_id = \(\.thirdParty)
       FOR UPDATE OF payment
    """
  static let columns = PaymentRow.columns
  let requestID: DataRequestID
  let thirdParty: AccountID
}

/// The payment that a confirmation names, locked. By the primary key.
struct PaymentToConfirm: Statement {
  typealias Row = PaymentRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: PaymentRow.columnList)
      FROM data4help.payments AS payment
     WHERE payment.request_id = \(\.requestID)
       FOR UPDATE OF payment
    """
  static let columns = PaymentRow.columns
  let requestID: DataRequestID
}

/// Begins another attempt to pay: the page of the previous one has closed, or is of another broker.
struct NextAttempt: Statement {
  typealias Row = PaymentRow
  static let sql: SQL<Self> = """
    UPDATE data4help.payments AS payment
       SET attempt = attempt + 1, opened_at = \(\.openedAt), broker = \(\.broker),
           checkout_id = NULL, checkout_url = NULL
     WHERE payment.request_id = \(\.requestID)
    RETURNING \(fragment: PaymentRow.columnList)
    """
  static let columns = PaymentRow.columns
  let requestID: DataRequestID
  let openedAt: Instant
  let broker: String
}

/// Stores the broker's page for an attempt, unless another page was paid meanwhile.
struct KeepCheckout: Statement {
  typealias Row = DataRequestID
  static let sql: SQL<Self> = """
    UPDATE data4help.payments
       SET checkout_id = \(\.id), checkout_url = \(\.url)
     WHERE request_id = \(\.requestID)
       AND attempt = \(\.attempt)
       AND paid_at IS NULL
    RETURNING request_id
    """
  let requestID: DataRequestID
  let attempt: Int32
  let id: String
  let url: String
}

/// Stores that a request was paid, and on which page.
struct MarkPaid: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.payments
       SET paid_at = \(\.now), checkout_id = \(\.checkoutID)
     WHERE request_id = \(\.requestID)
    """
  let requestID: DataRequestID
  let now: Instant
  let checkoutID: String?
}

/// Releases a paid group request for delivery.
struct MarkGroupPaid: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.group_requests
       SET paid_at = \(\.now)
     WHERE request_id = \(\.requestID)
       AND paid_at IS NULL
    """
  let requestID: DataRequestID
  let now: Instant
}

/// Removes the price of a request that waits for its payment. By the primary keys.
struct WaivePayment: Statement {
  static let sql: SQL<Self> = """
    WITH single AS (
           UPDATE data4help.single_requests
              SET price_cents = 0
            WHERE request_id = \(\.requestID)),
         asked AS (
           UPDATE data4help.group_requests
              SET price_cents = 0
            WHERE request_id = \(\.requestID))
    DELETE FROM data4help.payments WHERE request_id = \(\.requestID)
    """
  let requestID: DataRequestID
}

/// A page of a third party's payments, made and due, newest first. By the index on both.
struct PaymentsOfThirdParty: Statement {
  typealias Row = PaymentRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: PaymentRow.columnList)
      FROM data4help.payments AS payment
     WHERE payment.third_party_id = \(\.thirdParty)
       AND (payment.due_at, payment.request_id) < (\(\.cursor.createdAt), \(\.cursor.requestID))
     ORDER BY payment.due_at DESC, payment.request_id DESC
     LIMIT \(\.limit)
    """
  static let columns = PaymentRow.columns
  let thirdParty: AccountID
  let cursor: RequestCursor
  let limit: Int
}
