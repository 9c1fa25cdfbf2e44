import Domain
import EventLoop
import HTTP
import JSON
import PublicAPI
import Services

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
    let now = environment.now().timestamp
    if try request.payload(RequestKindPayload.self).isOfGroup {
      let payload: SendGroupPayload = try request.payload()
      _ = try payload.parameters()
      let terms = try payload.terms(now: now)
      return answer("group", prices.ofGroup(subscribing: terms.subscribing))
    }
    let payload: SendSinglePayload = try request.payload()
    _ = try payload.addressee()
    let terms = try payload.terms(now: now)
    return answer("single", prices.ofSingle(subscribing: terms.subscribing))
  }

  private func answer(_ kind: String, _ cents: Int64) -> Response {
    .json {
      $0.field("kind", kind)
      $0.field("amountDue", cents)
      $0.field("currency", PaymentTerms.currency)
    }
  }
}

/// Whether a body requests a group: only that has search parameters.
private struct RequestKindPayload: JSONReadable {
  private(set) var isOfGroup = false

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      if key == "searchParams" { isOfGroup = true }
    }
  }
}
