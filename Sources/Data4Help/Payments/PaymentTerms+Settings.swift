import Delivery
import Domain
import EventLoop
import HTTP
import Operations
import Privacy
import Services

extension PaymentTerms {
  /// The terms of these settings.
  ///
  /// - Throws: `StartError` where something costs something and nobody takes the payment, or where
  ///   a secret can't be read.
  init(_ settings: Data4HelpSettings) throws(StartError) {
    guard let url = settings.paymentURL else {
      guard !settings.prices.areDue else {
        throw StartError(
          "Requests have a price and nobody takes payments: set TRACKME_PAYMENT_URL or no price.")
      }
      self = .none
      return
    }
    let key = try Self.secret(settings.paymentKeyPath, "TRACKME_PAYMENT_KEY_FILE")
    let signing = try Self.secret(settings.paymentSigningPath, "TRACKME_PAYMENT_SIGNING_FILE")
    let poster: CallbackPoster
    do throws(SystemError) {
      // The operator names the broker, wherever it is.
      let everywhere = ["0.0.0.0/0", "::/0"].compactMap { AddressRange($0) }
      poster = try CallbackPoster(
        CallbackPoster.Settings(addresses: CallbackAddresses(allowed: everywhere)))
    } catch {
      throw StartError("The thread for payments can't be started", error)
    }
    guard let broker = HostedCheckout(baseURL: url, key: Secret(key), poster: poster) else {
      throw StartError("TRACKME_PAYMENT_URL is no address of a payment broker: \(url)")
    }
    self.init(
      prices: settings.prices, broker: broker,
      signature: PaymentSignature(secret: SecretBytes(utf8: signing)),
      returnURL: settings.authentication.publicURL)
  }

  private static func secret(_ path: String?, _ name: String) throws(StartError) -> String {
    guard let path else { throw StartError("With TRACKME_PAYMENT_URL, \(name) must be set too.") }
    do throws(SystemError) {
      let bytes = try SecretFile(path: path).read()
      let text = String(decoding: bytes, as: UTF8.self)
      return String(text.prefix { !$0.isWhitespace })
    } catch {
      throw StartError("The file \(path) of \(name) can't be read", error)
    }
  }
}

extension Problem {
  /// 402: the request was accepted, and is delivered once it was paid.
  static func paymentDue(_ cents: Int64) -> Problem {
    Problem(
      .paymentRequired, "Payment due",
      detail: "\(cents) cents (\(PaymentTerms.currency)) are due: POST /req/tp/pay.")
  }
}
