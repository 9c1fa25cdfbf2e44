import Delivery
import Domain
import EventLoop
import HTTP
import JSON
import Operations
import Postgres
import PublicAPI
import Services

/// How payments are made here; without a broker nothing costs anything.
package struct PaymentTerms: Sendable {
  /// What requests cost.
  package let prices: RequestPrices
  /// Who takes payments, and how its confirmations are told from others'.
  package let broker: (any PaymentBroker)?
  /// The signatures of the broker's confirmations.
  package let signature: PaymentSignature?
  /// Where a payer goes on afterwards.
  package let returnURL: String

  /// Prices, and the broker that takes them.
  package init(
    prices: RequestPrices, broker: (any PaymentBroker)?, signature: PaymentSignature?,
    returnURL: String
  ) {
    self.prices = prices
    self.broker = broker
    self.signature = signature
    self.returnURL = returnURL
  }

  /// Nothing costs anything.
  package static let none = PaymentTerms(
    prices: .free, broker: nil, signature: nil, returnURL: "")

  /// The only currency.
  package static let currency = "EUR"
}

/// A third party pays for its requests (REQ-7) and looks at its payments (REQ-8).
package struct PaymentRoutes: Sendable {
  /// How long a page of the broker is given out again; it closes after 24 hours.
  static let pageGoodFor = Duration.seconds(23 * 3600)

  let surroundings: Surroundings
  let terms: PaymentTerms

  /// Payments on these terms.
  package init(_ surroundings: Surroundings, _ terms: PaymentTerms) {
    self.surroundings = surroundings
    self.terms = terms
  }

  /// The rows of the route table.
  package var all: [Route] {
    let routes = surroundings.routes
    return [
      routes.identified(.payRequest, pay), routes.identified(.payments, list),
      routes.open(.confirmPayment, PaymentConfirming(surroundings: surroundings, terms).confirm),
    ]
  }

  /// Gives the page where a request is paid. The order is written first, and the page kept once the
  /// broker has given it: a call that breaks off in between is begun again under the same key. The
  /// page of a broker that takes no payments any more is given to nobody.
  ///
  /// - Throws: 404 for a request that is unknown or another's, 409 where nothing is due, 503 while
  ///   the broker is away, 502 where it refuses.
  private func pay(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    let payload = try request.payload(RequestNamePayload.self)
    let now = surroundings.world.now()
    let requestID = payload.requestID
    guard let broker = terms.broker else {
      throw try await PaymentWaiving(surroundings: surroundings).waive(
        requestID, of: identity.account)
    }
    let order = try await surroundings.database.transaction {
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
        throw .internalError(because: "A payment that was locked has gone.")
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
      surroundings.log.failure("no checkout was opened", error, level: .warning)
      throw error == .away
        ? .unavailable(retryAfter: 10, error)
        : ApplicationError(.upstreamFailed, cause: error.logText)
    }
    _ = try await surroundings.database.effect(
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
    let now = surroundings.world.now()
    let rows = try await surroundings.database.rows(
      PaymentsOfThirdParty(
        thirdParty: identity.account, place: try RequestPlace(request.query), limit: limit + 1))
    return .json { writer in
      writer.array("payments") { writer in
        for row in rows.prefix(limit) { row.write(to: &writer, at: now) }
      }
      if rows.count > limit {
        let last = rows[limit - 1]
        let place = RequestPlace(createdAt: last.dueAt, requestID: last.requestID)
        writer.field("next", place.cursor)
      }
    }
  }
}

extension PaymentRow {
  fileprivate func write(to writer: inout JSONWriter, at now: WallTime) {
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("amount", amount)
      writer.field("currency", PaymentTerms.currency)
      writer.field("status", standing(at: now).rawValue)
      writer.field("dueSince", dueAt.timestamp.description)
      writer.field("paidAt", paidAt?.timestamp.description)
    }
  }
}
