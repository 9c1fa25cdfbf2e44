import Accounts
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Payments
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Processes the broker's confirmations of payments (REQ-7): a paid request is delivered from here
/// on.
///
/// A confirmation counts once, for the amount and the currency that were due, and only while the
/// request waits for it. The broker repeats it until the response is 200, so a confirmation without
/// effect gets that response too.
struct PaymentConfirming: Sendable {
  let environment: Environment
  let database: Database
  let notices: Notices
  let events: ThirdPartyEvents
  let log: Log
  let terms: PaymentTerms

  init(
    environment: Environment, database: Database, notices: Notices, events: ThirdPartyEvents,
    log: Log,
    _ terms: PaymentTerms
  ) {
    self.environment = environment
    self.database = database
    self.notices = notices
    self.events = events
    self.log = log
    self.terms = terms
  }

  /// - Throws: `invalid` for a confirmation that is not the broker's or too old, `notFound` for an
  ///   unknown request, `conflict` for another amount or currency than was due.
  func confirm(_ request: Request) async throws(ApplicationError) -> Response {
    let now = environment.now()
    guard let signature = terms.signature, let header = request.head.fields["stripe-signature"],
      signature.verify(header, of: request.body.bytes.span, at: now)
    else {
      log.warning(
        "verify payment confirmation failed",
        [.constant("cause", "the signature is missing, wrong or too old")])
      throw .invalid("The signature is missing, wrong or too old.")
    }
    let event = try request.payload(PaymentEvent.self)
    guard let payment = event.payment else { return .message("Action successful") }
    defer {
      events.announce()
      notices.announce()
    }
    try await database.transaction { (transaction) throws(ApplicationError) in
      try await enter(payment, at: now, in: transaction)
    }
    return .message("Action successful")
  }

  /// Locks the request, then its payment, in the lock order of an answer.
  private func enter(
    _ payment: PaymentEvent.Payment, at now: Instant, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let requestID = payment.requestID
    let single = try await transaction.runOne(LockRequest(requestID: requestID))
    let group = try await transaction.runOne(LockGroupRequest(requestID: requestID))
    guard let row = try await transaction.runOne(PaymentToConfirm(requestID: requestID)) else {
      throw .notFound
    }
    guard payment.amount == row.amount, payment.currency.uppercased() == PaymentTerms.currency
    else {
      report(payment, because: "another amount or currency was due")
      throw .conflict("Another amount or currency was due.")
    }
    guard row.paidAt == nil else {
      // Not a repetition of the first confirmation, but that of another page.
      if let first = row.checkoutID, let second = payment.checkoutID, first != second {
        report(payment, because: "the request was paid on another page before")
      }
      return
    }
    try await transaction.run(
      MarkPaid(requestID: requestID, now: now, checkoutID: payment.checkoutID))
    let isDelivered: Bool
    if let single {
      isDelivered = try await PaidDelivery(
        environment: environment, notices: notices, events: events
      )
      .deliver(single, at: now, in: transaction)
    } else {
      isDelivered = group?.standing(at: now).status == .approved
      if isDelivered {
        try await transaction.run(MarkGroupPaid(requestID: requestID, now: now))
      }
    }
    if !isDelivered { report(payment, because: "the request is over") }
  }

  /// Reports a payment without delivery, so that an operator can refund it.
  private func report(_ payment: PaymentEvent.Payment, because cause: StaticString) {
    log.error(
      "accept payment failed",
      [
        .safe("request_id", OperatorText(payment.requestID.description)), .constant("cause", cause),
      ])
  }
}

/// A request of any third party, locked against every other change and every delivery.
struct LockRequest: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       FOR UPDATE
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
}

/// The fields read from a confirmation (Stripe API reference, "The Event object" and "The Session
/// object").
private struct PaymentEvent: JSONReadable {
  /// A payment that was made.
  struct Payment {
    let requestID: DataRequestID
    let amount: Int64
    let currency: String
    /// The broker's identifier of the page on which it was made.
    let checkoutID: String?
  }

  private struct Session: JSONReadable {
    var id: String?
    var reference: String?
    var status: String?
    var amount: Int64?
    var currency: String?

    init(from reader: inout JSONReader) throws(JSONError) {
      try reader.beginObject()
      while let key = try reader.nextField() {
        switch key {
        case "id" where try reader.kind() == .string: id = try reader.string()
        case "client_reference_id" where try reader.kind() == .string:
          reference = try reader.string()
        case "payment_status" where try reader.kind() == .string: status = try reader.string()
        case "amount_total" where try reader.kind() == .number:
          amount = Int64(try reader.integer())
        case "currency" where try reader.kind() == .string: currency = try reader.string()
        default: break
        }
      }
    }
  }

  private struct EventData: JSONReadable {
    var session: Session?

    init(from reader: inout JSONReader) throws(JSONError) {
      try reader.beginObject()
      while let key = try reader.nextField() {
        switch key {
        case "object" where try reader.kind() == .object:
          session = try reader.value(Session.self)
        default: break
        }
      }
    }
  }

  /// nil for an event that does not report a payment.
  let payment: Payment?

  private static let types = [
    "checkout.session.completed", "checkout.session.async_payment_succeeded",
  ]

  init(from reader: inout JSONReader) throws(JSONError) {
    var type: String?
    var data: EventData?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "type": type = try reader.string()
      case "data": data = try reader.value(EventData.self)
      default: break
      }
    }
    let session = data?.session
    guard let type, Self.types.contains(type), let session, session.status == "paid",
      let requestID = session.reference.flatMap({ DataRequestID($0) }),
      let amount = session.amount, let currency = session.currency
    else {
      payment = nil
      return
    }
    payment = Payment(
      requestID: requestID, amount: amount, currency: currency, checkoutID: session.id)
  }
}
