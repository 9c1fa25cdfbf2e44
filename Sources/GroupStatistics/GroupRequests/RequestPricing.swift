import Domain
import EventLoop
import JSON
import PublicAPI
import ServiceKit
import Sharing
import Time
import Web

/// Returns the price of a request before it is sent (REQ-7).
///
/// The price depends only on the kind of the request and on whether it subscribes: neither the
/// person nor any data is looked up, so a price discloses nothing about either.
struct RequestPricing: Sendable {
  let environment: Environment
  let prices: RequestPrices

  /// The price of the request in the body.
  ///
  /// - Throws: `invalid` for a body that is invalid for sending as well.
  func price(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let now = environment.now().flooredToMilliseconds
    switch try request.payload(PricedRequestBody.self) {
    case .group(let body):
      _ = try body.parameters()
      let terms = try body.terms(now: now)
      return answer("group", prices.ofGroup(subscribing: terms.subscribing))
    case .single(let body):
      _ = try body.addressee()
      let terms = try body.terms(now: now)
      return answer("single", prices.ofSingle(subscribing: terms.subscribing))
    }
  }

  private func answer(_ kind: String, _ cents: Int64) -> Response {
    .json {
      $0.field("kind", kind)
      $0.field("amountDue", cents)
      $0.field("currency", PaymentTerms.currency)
    }
  }
}
