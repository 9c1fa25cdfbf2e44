import Bytes
import Cryptography
import HTTP
import JSON
import Payments
import Web

/// An order at the local broker. The URL of its page contains the signed order: the same order has
/// the same page, and a restart of the broker loses none.
package struct LocalOrder: Sendable, Equatable {
  /// The item, the price, and the URL to return to.
  package let checkout: CheckoutOrder

  /// The order for a checkout request.
  package init(_ checkout: CheckoutOrder) { self.checkout = checkout }

  /// Parses the form of "Create a Checkout Session", limited to the fields that `HostedCheckout`
  /// sends, with its `Idempotency-Key`.
  ///
  /// - Throws: 400 for missing or invalid fields.
  init(form bytes: [UInt8], attempt: String) throws(Problem) {
    let form: Query
    do throws(Query.Failure) { form = try Query(decoding: bytes[...]) } catch {
      throw .malformed("The form can't be decoded.")
    }
    let item = "line_items[0]"
    let price = item + "[price_data]"
    guard form["mode"] == "payment", form[item + "[quantity]"] == "1",
      let reference = form["client_reference_id"], let returnURL = form["success_url"],
      let amount = form[price + "[unit_amount]"].flatMap({ Int64($0) }), amount > 0,
      let currency = form[price + "[currency]"],
      let description = form[price + "[product_data][name]"]
    else { throw .malformed("The form does not describe a checkout session.") }
    checkout = CheckoutOrder(
      reference: reference, attempt: attempt, amount: amount, currency: currency,
      description: description, returnURL: returnURL)
  }

  // MARK: The name of its page

  /// The order in base64url, a dot, and its HMAC-SHA256 in hexadecimal.
  package func name(under key: HMACKey) -> String {
    var writer = JSONWriter()
    writer.object {
      $0.field("reference", checkout.reference)
      $0.field("attempt", checkout.attempt)
      $0.field("amount", checkout.amount)
      $0.field("currency", checkout.currency)
      $0.field("description", checkout.description)
      $0.field("returnURL", checkout.returnURL)
    }
    var text: [UInt8] = []
    Base64.url.append(writer.bytes.span, to: &text)
    return "\(String(decoding: text, as: UTF8.self)).\(Self.code(writer.bytes, key))"
  }

  /// The order in a page's name; nil if this broker did not sign the name, or if it has the format
  /// of another version.
  package init?(name: String, under key: HMACKey) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let bytes = Base64.url.decode(parts[0].utf8.span),
      areEqualInConstantTime(
        Array(parts[1].utf8).span, Array(Self.code(bytes, key).utf8).span)
    else { return nil }
    do throws(JSONError) {
      checkout = try JSONReader.read(StoredOrder.self, from: bytes).checkout
    } catch {
      return nil
    }
  }

  private static func code(_ bytes: [UInt8], _ key: HMACKey) -> String {
    let code = key.code(of: bytes.span).inlineBytes
    return Hexadecimal.encode(code.span)
  }

  /// The form of an order inside its page's name.
  private struct StoredOrder: JSONReadable {
    let checkout: CheckoutOrder

    init(from reader: inout JSONReader) throws(JSONError) {
      var reference: String?
      var attempt: String?
      var amount: Int?
      var currency: String?
      var description: String?
      var returnURL: String?
      try reader.beginObject()
      while let key = try reader.nextField() {
        switch key {
        case "reference": reference = try reader.string()
        case "attempt": attempt = try reader.string()
        case "amount": amount = try reader.integer()
        case "currency": currency = try reader.string()
        case "description": description = try reader.string()
        case "returnURL": returnURL = try reader.string()
        default: break
        }
      }
      checkout = CheckoutOrder(
        reference: try reader.mandatory("reference", reference),
        attempt: try reader.mandatory("attempt", attempt),
        amount: Int64(try reader.mandatory("amount", amount)),
        currency: try reader.mandatory("currency", currency),
        description: try reader.mandatory("description", description),
        returnURL: try reader.mandatory("returnURL", returnURL))
    }
  }
}

extension LocalOrder {
  /// The event that reports the result (Stripe API reference, "The Event object").
  func event(isPaid: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("id", "evt_\(checkout.attempt)")
      $0.field("object", "event")
      $0.field(
        "type",
        isPaid ? "checkout.session.completed" : "checkout.session.async_payment_failed")
      $0.object("data") {
        $0.object("object") {
          $0.field("id", "cs_\(checkout.attempt)")
          $0.field("object", "checkout.session")
          $0.field("client_reference_id", checkout.reference)
          $0.field("amount_total", checkout.amount)
          $0.field("currency", checkout.currency)
          $0.field("payment_status", isPaid ? "paid" : "unpaid")
        }
      }
    }
    return writer.bytes
  }
}
