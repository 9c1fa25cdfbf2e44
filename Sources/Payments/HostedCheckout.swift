import Bytes
import Cryptography
import JSON
import Operations
import Webhooks

/// Payments through Stripe's hosted checkout (API reference, "Create a Checkout Session"): posts a
/// form to `/v1/checkout/sessions` with an `Idempotency-Key` and receives the URL of the page.
package struct HostedCheckout: PaymentBroker {
  /// The address and 32 bits of a hash of the secret key. Another account, or the live mode instead
  /// of the test mode, signs with another secret and therefore counts as another broker.
  package let name: String
  private let url: CallbackURL
  private let key: Secret
  private let poster: CallbackPoster

  /// A broker at this URL under this secret key; nil if the URL is invalid.
  package init?(baseURL: String, key: Secret, poster: CallbackPoster) {
    let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
    guard let url = CallbackURL(base + "/v1/checkout/sessions") else { return nil }
    let hash = SHA256.digest(of: Array(key.revealed.utf8).span).bytes
    name = base + "#" + Hexadecimal.encode(hash.span).prefix(8)
    self.url = url
    self.key = key
    self.poster = poster
  }

  /// Opens a checkout page with one call to the broker.
  package func open(_ order: CheckoutOrder) async throws(PaymentBrokerError) -> Checkout {
    let call = CallbackCall(
      url: url,
      headers: [
        "content-type: application/x-www-form-urlencoded", "user-agent: TrackMe",
        "authorization: Bearer \(key.revealed)", "idempotency-key: \(order.attempt)", "expect:",
      ], body: Self.form(order))
    switch await poster.post(call) {
    case .answered(200, let body, _):
      guard let page = try? JSONReader.read(CheckoutPage.self, from: body) else {
        throw .unreadable
      }
      return Checkout(id: page.id, url: page.url)
    case .answered(429, _, _), .answered(500..., _, _), .failed: throw .unavailable
    case .answered(let status, _, _): throw .refused(status)
    }
  }

  private static func form(_ order: CheckoutOrder) -> [UInt8] {
    let item = "line_items[0]"
    let fields = [
      ("mode", "payment"),
      ("client_reference_id", order.reference),
      ("success_url", order.returnURL),
      ("cancel_url", order.returnURL),
      (item + "[quantity]", "1"),
      (item + "[price_data][currency]", order.currency.lowercased()),
      (item + "[price_data][unit_amount]", order.amount.description),
      (item + "[price_data][product_data][name]", order.description),
    ]
    let pairs = fields.map { encoded($0.0) + "=" + encoded($0.1) }
    return Array(pairs.joined(separator: "&").utf8)
  }

  /// Encodes a text as `application/x-www-form-urlencoded` (WHATWG URL, 5.2).
  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if isUnreserved(byte) {
        bytes.append(byte)
      } else {
        bytes.append(UInt8(ascii: "%"))
        bytes += [digit(byte >> 4), digit(byte & 15)]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}

/// The fields of the broker's answer that are used.
private struct CheckoutPage: JSONReadable {
  let id: String
  let url: String

  init(from reader: inout JSONReader) throws(JSONError) {
    var id: String?
    var url: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "id": id = try reader.string()
      case "url": url = try reader.string()
      default: break
      }
    }
    self.id = try reader.mandatory("id", id)
    self.url = try reader.mandatory("url", url)
  }
}
