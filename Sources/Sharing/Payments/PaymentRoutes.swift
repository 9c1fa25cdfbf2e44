import Accounts
import Domain
import EventLoop
import JSON
import Operations
import Payments
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// Payments of a third party for its requests (REQ-7), and their list (REQ-8).
package struct PaymentRoutes: Sendable {
  /// The time for which a page of the broker is returned again; it closes after 24 hours.
  static let pageGoodFor = Duration.seconds(23 * 3600)

  let environment: Environment
  let database: Database
  let notices: Notices
  let events: ThirdPartyEvents
  let log: Log
  let terms: PaymentTerms

  /// Payments on these terms.
  package init(
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

  /// The rows of the route table.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.payRequest, pay), routes.identified(.payments, list),
      routes.open(
        .confirmPayment,
        PaymentConfirming(
          environment: environment, database: database, notices: notices, events: events, log: log,
          terms
        ).confirm),
    ]
  }

  /// Returns the page on which a request is paid. The order is stored first, and the page after the
  /// broker returned it: an interrupted call is repeated under the same key. Pages of a broker that
  /// has stopped collecting payments are never returned.
  ///
  /// - Throws: `notFound` for a request that is unknown or another's, `conflict` if nothing is due,
  ///   `unavailable` while the broker is unavailable, `upstreamFailed` if it refuses.
  private func pay(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    let payload = try request.payload(RequestIdentifierBody.self)
    let now = environment.now()
    let requestID = payload.requestID
    guard let broker = terms.broker else {
      throw try await PaymentWaiving(
        environment: environment, database: database, notices: notices, events: events
      ).waive(
        requestID, of: identity.account)
    }
    let order = try await database.transaction {
      (transaction) throws(ApplicationError) in
      let lock = LockPayment(requestID: requestID, thirdParty: identity.account)
      guard let row = try await transaction.runOne(lock) else {
        throw try await PaymentRow.nothingDue(requestID, of: identity.account, in: transaction)
      }
      guard row.standing(at: now) == .due else {
        throw .conflict("Nothing is due for the request.")
      }
      if row.broker == broker.name, let opened = row.openedAt, opened + Self.pageGoodFor > now {
        return row
      }
      let next = NextAttempt(requestID: requestID, openedAt: now, broker: broker.name)
      guard let row = try await transaction.runOne(next) else {
        throw .internalError(because: "A locked payment no longer exists.")
      }
      return row
    }
    if let url = order.checkoutURL { return answer(url) }
    let page: Checkout
    do throws(PaymentBrokerError) {
      page = try await broker.open(
        CheckoutOrder(
          reference: requestID.description, attempt: "\(requestID)-\(order.attempt)",
          amount: order.amount, currency: PaymentTerms.currency,
          description: "TrackMe \(requestID)", returnURL: terms.returnURL))
    } catch {
      log.failure(
        "open checkout failed", error, level: .warning,
        .safe("request_id", OperatorText(requestID.description)))
      throw error == .unavailable
        ? .unavailable(retryAfter: 10, error)
        : ApplicationError(.upstreamFailed, cause: error.logText)
    }
    _ = try await database.effect(
      KeepCheckout(requestID: requestID, attempt: order.attempt, id: page.id, url: page.url))
    return answer(page.url)
  }

  private func answer(_ url: String) -> Response {
    Response.json { $0.field("checkoutURL", url) }.notStored()
  }

  private func list(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    let limit = PageLimit.count(request.query)
    let now = environment.now()
    let rows = try await database.rows(
      PaymentsOfThirdParty(
        thirdParty: identity.account, cursor: try RequestCursor(request.query), limit: limit + 1))
    return .json { writer in
      writer.array("payments") { writer in
        for row in rows.prefix(limit) { row.write(to: &writer, at: now) }
      }
      if rows.count > limit {
        let last = rows[limit - 1]
        let cursor = RequestCursor(createdAt: last.dueAt, requestID: last.requestID)
        writer.field("next", cursor.text)
      }
    }
  }
}

extension PaymentRow {
  fileprivate func write(to writer: inout JSONWriter, at now: Instant) {
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("amount", amount)
      writer.field("currency", PaymentTerms.currency)
      writer.field("status", standing(at: now).rawValue)
      writer.field("dueSince", dueAt.description)
      writer.field("paidAt", paidAt?.description)
    }
  }
}
