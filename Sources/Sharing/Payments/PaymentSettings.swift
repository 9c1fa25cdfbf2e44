import Domain
import Operations

/// The operator's settings of payments (REQ-7).
package struct PaymentSettings: Sendable {
  /// The broker that collects payments.
  package enum Broker: Sendable, Equatable {
    /// No broker is configured.
    case none
    /// A simulated one, which `trackme run` starts.
    case inPlay
    /// A real one, at this address.
    case at(String)
  }

  /// The prices of requests.
  package let prices: RequestPrices
  /// The broker that collects them.
  package let broker: Broker
  let keyPath: String?
  let signingPath: String?

  /// - Throws: `SettingsError` for the first setting that is wrong.
  package init(_ settings: Settings) throws(SettingsError) {
    prices = RequestPrices(
      single: Int64(try settings.value(SettingTable.priceSingle)),
      group: Int64(try settings.value(SettingTable.priceGroup)),
      subscription: try settings.optional(SettingTable.priceSubscription).map(Int64.init))
    broker =
      switch try settings.optional(SettingTable.paymentURL) {
      case nil: .none
      case SettingTable.paymentInPlay?: .inPlay
      case let url?: .at(url)
      }
    keyPath = try settings.optional(SettingTable.paymentKeyPath)
    signingPath = try settings.optional(SettingTable.paymentSigningPath)
  }

  /// Refuses the files of a real broker without its address, which is then missing or misspelt.
  ///
  /// - Throws: `StartError` with the setting of the first such file.
  package func refuseLoneFiles() throws(StartError) {
    if case .at = broker { return }
    let files = [
      (SettingTable.paymentKeyPath, keyPath), (SettingTable.paymentSigningPath, signingPath),
    ]
    for (setting, path) in files where path != nil {
      throw StartError(
        "\(setting.definition.name) is the file of a payment broker that is not named: set "
          + "TRACKME_PAYMENT_URL to its address.")
    }
  }
}
