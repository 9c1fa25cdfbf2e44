import Operations

/// A payment provider: it hosts the checkout page and calls back after a payment.
package protocol PaymentBroker: Sendable {
  /// Identifies the broker; a checkout page is only returned while the broker that opened it is in
  /// use.
  var name: String { get }
  /// Opens the page where an order is paid; the same order returns the same page again.
  func open(_ order: CheckoutOrder) async throws(PaymentBrokerError) -> Checkout
}

/// An order to be paid.
package struct CheckoutOrder: Sendable, Equatable {
  /// Identifies the order; returned with the payment's confirmation.
  package let reference: String
  /// The idempotency key: a repetition of the same order has the same value, a new attempt another.
  package let attempt: String
  /// The amount in minor units of the currency, such as cents.
  package let amount: Int64
  /// The currency in three capital letters (ISO 4217).
  package let currency: String
  /// The text that the payer sees; contains no personal data.
  package let description: String
  /// Where the payer is redirected afterwards.
  package let returnURL: String

  /// Creates an order from its parts.
  package init(
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
}

/// A checkout page for an order.
package struct Checkout: Sendable, Equatable {
  /// The broker's identifier of the page.
  package let id: String
  /// The URL of the page.
  package let url: String

  /// Creates a page from its parts.
  package init(id: String, url: String) {
    self.id = id
    self.url = url
  }
}

/// Why no page was opened. Never contains text of the broker.
package enum PaymentBrokerError: Error, Sendable, Equatable, LogSafe {
  /// The broker is unreachable or busy; the call may be retried.
  case unavailable
  /// The broker rejects the order with this status.
  case refused(Int)
  /// The broker's answer is malformed.
  case unreadable

  /// A short text for the log.
  package var logText: String {
    switch self {
    case .unavailable: "the payment broker is unreachable"
    case .refused(let status): "the payment broker rejected the order with \(status)"
    case .unreadable: "the payment broker's answer is malformed"
    }
  }
}
