import Domain
import JSON
import Operations
import Payments
import Postgres
import PublicAPI

/// The terms of payment here; without a broker every request is free.
package struct PaymentTerms: Sendable {
  /// The prices of requests.
  package let prices: RequestPrices
  /// The broker that collects payments.
  package let broker: (any PaymentBroker)?
  /// The verifier of the signatures on the broker's confirmations.
  package let signature: PaymentSignature?
  /// The page to which the broker sends a payer afterwards.
  package let returnURL: String

  /// Prices, and the broker that collects them.
  package init(
    prices: RequestPrices, broker: (any PaymentBroker)?, signature: PaymentSignature?,
    returnURL: String
  ) {
    self.prices = prices
    self.broker = broker
    self.signature = signature
    self.returnURL = returnURL
  }

  /// Every request is free.
  package static let none = PaymentTerms(
    prices: .free, broker: nil, signature: nil, returnURL: "")

  /// The only currency.
  package static let currency = "EUR"
}
