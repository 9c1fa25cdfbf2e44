import Cryptography
import EventLoop
import HTTP
import Installation
import JSON
import Operations
import Payments
import ServiceKit
import Web
import Webhooks

/// The local broker's side of a hosted checkout. It accepts orders in Stripe's form; a person pays
/// or declines on the order's page; the broker then sends TrackMe the event that Stripe would send.
package struct BrokerRoutes: Sendable {
  /// The derivation label of the orders' key: the clients' API key cannot sign a page.
  private static let ordersLabel = "trackme/1/orders-in-play"

  private let broker: LocalBroker
  private let confirmationURL: CallbackURL
  private let key: String
  private let orders: HMACKey
  private let signature: PaymentSignature
  private let poster: CallbackPoster
  private let log: Log

  /// The routes of this broker.
  ///
  /// - Throws: `StartError` if its secrets are unreadable or its thread can't be started.
  package init(_ broker: LocalBroker, log: Log) throws(StartError) {
    self.broker = broker
    self.log = log
    guard let url = CallbackURL("http://127.0.0.1:\(broker.gatewayPort)/pay/confirm") else {
      throw StartError("Payments can't be confirmed at port \(broker.gatewayPort).")
    }
    confirmationURL = url
    key = try broker.secret(broker.keyPath)
    orders = HMACKey(
      HKDF.derive(from: SecretBytes(utf8: key), label: Self.ordersLabel, count: 32))
    signature = PaymentSignature(secret: SecretBytes(utf8: try broker.secret(broker.signingPath)))
    do throws(SystemError) {
      let local = ["127.0.0.0/8"].compactMap { AddressRange($0) }
      poster = try CallbackPoster(
        CallbackPoster.Settings(addresses: CallbackAddresses(allowed: local)))
    } catch {
      throw StartError("The thread for confirmations can't be started", error)
    }
  }

  /// The route table.
  package var all: [Route] {
    [
      Route(.post, "/v1/checkout/sessions", handler: open),
      Route(.get, "/pay/{order}", handler: show),
      Route(.post, "/pay/{order}", handler: settle),
      .readiness { true },
    ]
  }

  /// "Create a Checkout Session".
  private func open(_ request: Request) async throws(Problem) -> Response {
    guard
      let given = request.head.fields["authorization"],
      areEqualInConstantTime(given.utf8.span, Array("Bearer \(key)".utf8).span)
    else { throw .wrongToken() }
    guard let attempt = request.head.fields["idempotency-key"] else {
      throw .malformed("An Idempotency-Key is missing.")
    }
    let order = try LocalOrder(form: request.body.bytes, attempt: attempt)
    return .json {
      $0.field("id", "cs_\(attempt)")
      $0.field("url", "\(broker.url)/pay/\(order.name(under: orders))")
    }
  }

  private func show(_ request: Request) async throws(Problem) -> Response {
    BrokerPage.due(try order(of: request))
  }

  /// Handles one of the two buttons. TrackMe is notified before the page reports the result; a
  /// repeated notification counts once.
  private func settle(_ request: Request) async throws(Problem) -> Response {
    let order = try order(of: request)
    let isPaid: Bool
    switch String(decoding: request.body.bytes, as: UTF8.self) {
    case "choice=pay": isPaid = true
    case "choice=decline": isPaid = false
    default: throw .malformed("The choice must be pay or decline.", field: "choice")
    }
    guard await deliver(order.event(isPaid: isPaid)) else { return BrokerPage.undelivered(order) }
    log.info("the gateway accepted a confirmation", [.flag("is_paid", isPaid)])
    return BrokerPage.settled(order, isPaid: isPaid)
  }

  private func order(of request: Request) throws(Problem) -> LocalOrder {
    guard let name = request.pathParameters["order"],
      let order = LocalOrder(name: name, under: orders)
    else { throw .notFound }
    return order
  }

  /// Sends an event to the gateway; whether it was accepted.
  private func deliver(_ event: [UInt8]) async -> Bool {
    let header = signature.header(of: event.span, at: Environment.system.now())
    let outcome = await poster.post(
      CallbackCall(
        url: confirmationURL,
        headers: [
          "content-type: application/json", "user-agent: TrackMe-Broker",
          "stripe-signature: \(header)", "expect:",
        ], body: event))
    guard case .answered(let status, _, _) = outcome else {
      log.warning("the gateway did not answer a confirmation", [])
      return false
    }
    guard status == 200 else {
      log.warning("the gateway refused a confirmation", [.number("status", status)])
      return false
    }
    return true
  }
}
