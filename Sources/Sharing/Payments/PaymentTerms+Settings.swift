import Cryptography
import Domain
import EventLoop
import Operations
import Payments
import ServiceKit
import Webhooks

extension PaymentTerms {
  /// The terms of these settings; the broker sends a payer to `returnURL` afterwards.
  ///
  /// - Throws: `StartError` for prices without a broker, for files without a broker, or if a secret
  ///   can't be read.
  package init(_ settings: PaymentSettings, returnURL: String) throws(StartError) {
    try settings.refuseLoneFiles()
    switch settings.broker {
    case .none:
      guard !settings.prices.areDue else {
        throw StartError(
          "Requests have a price without a payment broker: set TRACKME_PAYMENT_URL or no price.")
      }
      self = .none
    case .inPlay:
      throw StartError(
        "TRACKME_PAYMENT_URL is \(SettingTable.paymentInPlay), which only `trackme run` serves.")
    case .at(let url):
      let key = try Self.secret(settings.keyPath, SettingTable.paymentKeyPath)
      let signing = try Self.secret(settings.signingPath, SettingTable.paymentSigningPath)
      self.init(
        prices: settings.prices, broker: try Self.checkout(at: url, Secret(key)),
        signature: PaymentSignature(secret: SecretBytes(utf8: signing)), returnURL: returnURL)
    }
  }

  private static func checkout(
    at url: String, _ key: Secret
  ) throws(StartError) -> HostedCheckout {
    let poster: CallbackPoster
    do throws(SystemError) {
      // The operator names the broker, so that any address is allowed.
      let everywhere = ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }
      poster = try CallbackPoster(
        CallbackPoster.Settings(addresses: CallbackAddresses(allowed: everywhere)))
    } catch {
      throw StartError("The thread for payments can't be started", error)
    }
    guard let checkout = HostedCheckout(baseURL: url, key: key, poster: poster) else {
      throw StartError("TRACKME_PAYMENT_URL is not the address of a payment broker: \(url)")
    }
    return checkout
  }

  private static func secret(
    _ path: String?, _ setting: Setting<String>
  ) throws(StartError) -> String {
    let name = setting.definition.name
    guard let path else { throw StartError("With TRACKME_PAYMENT_URL, \(name) must be set too.") }
    return try SecretFile(path: path).text(of: name)
  }
}

extension ApplicationError {
  /// `paymentDue`: the request was accepted, and is delivered after its payment.
  package static func paymentDue(_ cents: Int64) -> ApplicationError {
    ApplicationError(
      .paymentDue,
      detail: "\(cents) cents (\(PaymentTerms.currency)) are due: POST /req/tp/pay.")
  }
}
