import Operations

/// Who takes payments for us: it shows a page where one is made, and calls back once it was.
package protocol PaymentBroker: Sendable {
  /// Tells it from every other: a page of one is given out while that one takes payments.
  var name: String { get }
  /// Opens a page where an order is paid; the same order again gives the same page.
  func open(_ order: CheckoutOrder) async throws(PaymentBrokerError) -> Checkout
}

/// What is to be paid.
package struct CheckoutOrder: Sendable, Equatable {
  /// What comes back with the confirmation: which order was paid.
  package let reference: String
  /// Tells a repetition of the same order from another try.
  package let attempt: String
  /// The amount in minor units of the currency, as cents.
  package let amount: Int64
  /// The currency in three capital letters (ISO 4217).
  package let currency: String
  /// What is paid for, as the payer reads it; nothing personal.
  package let description: String
  /// Where the payer goes on afterwards.
  package let returnURL: String

  /// An order of its parts.
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

/// A page where an order is paid.
package struct Checkout: Sendable, Equatable {
  /// The broker's name for it.
  package let id: String
  /// Where it is.
  package let url: String

  /// A page of its parts.
  package init(id: String, url: String) {
    self.id = id
    self.url = url
  }
}

/// Why no page was opened. Never what the broker said.
package enum PaymentBrokerError: Error, Sendable, Equatable, LogSafe {
  /// It can't be reached, or has no time: it may be tried again.
  case away
  /// It refuses the order, with this status.
  case refused(Int)
  /// Its answer can't be read.
  case unreadable

  /// A few words.
  package var logText: String {
    switch self {
    case .away: "the payment broker is away"
    case .refused(let status): "the payment broker refuses the order with \(status)"
    case .unreadable: "the payment broker's answer can't be read"
    }
  }
}
