import Delivery
import Domain
import Operations

/// What an operator chooses about Data4Help.
struct Data4HelpSettings: Sendable {
  let authentication: AuthenticationSettings
  let answerWithinSeconds: Int64
  let groupSeasoningDays: Int
  let state: StateDirectory
  let smtpURL: Secret?
  let callbacks: CallbackPoster.Settings
  let prices: RequestPrices
  let paymentURL: String?
  let paymentKeyPath: String?
  let paymentSigningPath: String?

  /// - Throws: `SettingsError` for the first that is missing or wrong.
  init(_ settings: Settings) throws(SettingsError) {
    let publicURL = try settings.value(SettingTable.publicURL)
    guard
      let authentication = AuthenticationSettings(
        publicURL: publicURL, sessionIdle: try settings.value(SettingTable.sessionIdle),
        sessionMax: try settings.value(SettingTable.sessionMax))
    else {
      throw .badValue(
        name: "TRACKME_PUBLIC_URL", expectation: "a URL with a host", shown: publicURL)
    }
    self.authentication = authentication
    answerWithinSeconds = try settings.value(SettingTable.answerWithin).components.seconds
    groupSeasoningDays = try settings.value(SettingTable.groupSeasoning)
    prices = RequestPrices(
      single: Int64(try settings.value(SettingTable.priceSingle)),
      group: Int64(try settings.value(SettingTable.priceGroup)),
      subscription: try settings.optional(SettingTable.priceSubscription).map(Int64.init))
    paymentURL = try settings.optional(SettingTable.paymentURL)
    paymentKeyPath = try settings.optional(SettingTable.paymentKeyPath)
    paymentSigningPath = try settings.optional(SettingTable.paymentSigningPath)
    state = StateDirectory(path: try settings.value(SettingTable.state))
    smtpURL = try settings.optional(SettingTable.smtpURL)
    let ranges = try settings.optional(SettingTable.callbackAllow) ?? []
    callbacks = CallbackPoster.Settings(
      addresses: CallbackAddresses(allowed: ranges.compactMap { AddressRange($0) }),
      authoritiesPath: try settings.optional(SettingTable.callbackAuthorities))
  }
}
