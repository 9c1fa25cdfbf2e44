import Delivery
import Operations

/// The operator's settings of Data4Help.
struct Data4HelpSettings: Sendable {
  let authentication: AuthenticationSettings
  let answerWithinSeconds: Int64
  let groupSeasoningDays: Int
  let state: StateDirectory
  let smtpURL: Secret?
  let stopWithin: Duration
  let callbacks: CallbackPoster.Settings
  let payments: PaymentSettings
  let emergencies: EmergencySettings
  let voice: VoiceSettings

  /// - Throws: `SettingsError` for the first setting that is missing or wrong.
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
    payments = try PaymentSettings(settings)
    emergencies = try EmergencySettings(settings)
    voice = try VoiceSettings(settings)
    state = StateDirectory(path: try settings.value(SettingTable.state))
    smtpURL = try settings.optional(SettingTable.smtpURL)
    stopWithin = try settings.value(SettingTable.stopWithin)
    let ranges = try settings.optional(SettingTable.callbackAllow) ?? []
    callbacks = CallbackPoster.Settings(
      addresses: CallbackAddresses(allowed: ranges.compactMap { AddressRange($0) }),
      authoritiesPath: try settings.optional(SettingTable.callbackAuthorities))
  }
}
