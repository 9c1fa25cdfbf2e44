import HTTP
import Payments
import Web

/// The web pages of the local broker: self-contained, without external resources.
enum BrokerPage {
  /// The amount due, with the two buttons.
  static func due(_ order: LocalOrder) -> Response {
    page(
      "\(amount(of: order)) due", summary(of: order),
      """
      <form method="post">
      <button name="choice" value="pay">Pay</button>
      <button name="choice" value="decline">Decline</button>
      </form>
      """)
  }

  /// The result of the order.
  static func settled(_ order: LocalOrder, isPaid: Bool) -> Response {
    page(
      isPaid ? "Paid" : "Declined",
      isPaid
        ? "\(amount(of: order)) were paid, and TrackMe was notified."
        : "Nothing was paid; the request waits for its payment.", back(from: order))
  }

  /// Shown if the gateway did not accept the confirmation.
  static func undelivered(_ order: LocalOrder) -> Response {
    var response = page(
      "TrackMe did not receive the confirmation",
      "It is unreachable or did not accept the confirmation. Go back and try again.",
      back(from: order))
    response.status = .badGateway
    return response
  }

  private static func amount(of order: LocalOrder) -> String {
    let cents = order.checkout.amount % 100
    let currency = order.checkout.currency.uppercased()
    return "\(order.checkout.amount / 100).\(cents < 10 ? "0" : "")\(cents) \(currency)"
  }

  private static func summary(of order: LocalOrder) -> String {
    "For \(order.checkout.description). "
      + "This is the broker of a development system: nobody is charged."
  }

  private static func back(from order: LocalOrder) -> String {
    "<p><a href=\"\(HTMLText.escaped(order.checkout.returnURL))\">Back to TrackMe</a></p>"
  }

  private static func page(_ title: String, _ text: String, _ content: String) -> Response {
    let html = """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>\(HTMLText.escaped(title))</title>
      </head>
      <body>
      <h1>\(HTMLText.escaped(title))</h1>
      <p>\(HTMLText.escaped(text))</p>
      \(content)
      </body>
      </html>

      """
    var response = Response(contentType: "text/html; charset=utf-8", bytes: Array(html.utf8))
    response.fields.append(
      .contentSecurityPolicy,
      "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'")
    response.fields.append(.cacheControl, "no-store")
    response.fields.append(.referrerPolicy, "no-referrer")
    return response
  }
}
