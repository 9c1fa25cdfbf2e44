import HTTP
import JSON
import Privacy

/// What is to be paid at the local broker. It stands, signed, in the address of its own page: the
/// same order has the same page, and none is lost when the broker is started again.
struct LocalOrder: Sendable, Equatable {
  let reference: String
  /// The `Idempotency-Key` it was given under.
  let attempt: String
  let amount: Int64
  let currency: String
  let description: String
  let returnURL: String

  /// Reads the form of "Create a Checkout Session", as far as `HostedCheckout` fills it in.
  ///
  /// - Throws: 400 for what is missing or wrong.
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
    else { throw .malformed("The form is not that of a checkout session.") }
    self.init(
      reference: reference, attempt: attempt, amount: amount, currency: currency,
      description: description, returnURL: returnURL)
  }

  private init(
    reference: String, attempt: String, amount: Int64, currency: String, description: String,
    returnURL: String
  ) {
    self.reference = reference
    self.attempt = attempt
    self.amount = amount
    self.currency = currency
    self.description = description
    self.returnURL = returnURL
  }

  // MARK: The name of its page

  /// The order in base64 for URLs, a dot, and its HMAC-SHA256 in hexadecimal.
  func name(under key: HMACKey) -> String {
    var writer = JSONWriter()
    writer.object {
      $0.field("reference", reference)
      $0.field("attempt", attempt)
      $0.field("amount", amount)
      $0.field("currency", currency)
      $0.field("description", description)
      $0.field("returnURL", returnURL)
    }
    var text: [UInt8] = []
    Base64.url.append(writer.bytes.span, to: &text)
    return "\(String(decoding: text, as: UTF8.self)).\(Self.code(writer.bytes, key))"
  }

  /// The order that a page's name holds; nil for a name that this broker has not given.
  init?(name: String, under key: HMACKey) {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let bytes = Base64.url.decode(parts[0].utf8.span),
      areEqualInConstantTime(
        Array(parts[1].utf8).span, Array(Self.code(bytes, key).utf8).span),
      let stored = try? JSONReader.read(StoredOrder.self, from: bytes)
    else { return nil }
    self = stored.order
  }

  private static func code(_ bytes: [UInt8], _ key: HMACKey) -> String {
    let code = key.code(of: bytes.span).inlineBytes
    return Hexadecimal.encode(code.span)
  }

  private struct StoredOrder: JSONReadable {
    let order: LocalOrder

    init(from reader: inout JSONReader) throws(JSONError) {
      var texts: [String: String] = [:]
      var amount: Int64 = 0
      try reader.beginObject()
      while let key = try reader.nextField() {
        switch key {
        case "amount": amount = Int64(try reader.integer())
        case "reference": texts["reference"] = try reader.string()
        case "attempt": texts["attempt"] = try reader.string()
        case "currency": texts["currency"] = try reader.string()
        case "description": texts["description"] = try reader.string()
        case "returnURL": texts["returnURL"] = try reader.string()
        default: break
        }
      }
      order = LocalOrder(
        reference: texts["reference"] ?? "", attempt: texts["attempt"] ?? "", amount: amount,
        currency: texts["currency"] ?? "", description: texts["description"] ?? "",
        returnURL: texts["returnURL"] ?? "")
    }
  }
}

extension LocalOrder {
  /// The event that tells what became of it (Stripe API reference, "The Event object").
  func event(isPaid: Bool) -> [UInt8] {
    var writer = JSONWriter()
    writer.object {
      $0.field("id", "evt_\(attempt)")
      $0.field("object", "event")
      $0.field(
        "type",
        isPaid ? "checkout.session.completed" : "checkout.session.async_payment_failed")
      $0.object("data") {
        $0.object("object") {
          $0.field("id", "cs_\(attempt)")
          $0.field("object", "checkout.session")
          $0.field("client_reference_id", reference)
          $0.field("amount_total", amount)
          $0.field("currency", currency)
          $0.field("payment_status", isPaid ? "paid" : "unpaid")
        }
      }
    }
    return writer.bytes
  }
}
