import Accounts
import Emergencies
import HealthRecords
import Operations
import Sharing
import Telephony
import Webhooks

/// The operator's settings of Data4Help.
struct Data4HelpSettings: Sendable {
  let loops: LoopSettings
  let state: StateDirectory
  let smtpURL: Secret?
  let stopWithin: Duration
  let callbacks: CallbackPoster.Settings
  let payments: PaymentSettings
  let voice: VoiceSettings

  /// - Throws: `SettingsError` for the first setting that is missing or wrong.
  init(_ settings: Settings) throws(SettingsError) {
    let publicURL = try settings.value(SettingTable.publicURL)
    guard
      let authentication = AuthenticationSettings(
        publicURL: publicURL, sessionIdle: try settings.value(SettingTable.sessionIdle),
        sessionMax: try settings.value(SettingTable.sessionMax),
        keepSessions: try settings.value(SettingTable.keepSessions))
    else {
      throw .badValue(
        name: "TRACKME_PUBLIC_URL", expectation: "a URL with a host", shown: publicURL)
    }
    let answerWithin = try settings.value(SettingTable.answerWithin)
    let groupSeasoningDays = try settings.value(SettingTable.groupSeasoning)
    payments = try PaymentSettings(settings)
    loops = LoopSettings(
      authentication: authentication, emergencies: try EmergencySettings(settings),
      answerWithinSeconds: answerWithin.components.seconds, groupSeasoningDays: groupSeasoningDays,
      keepImports: try settings.value(SettingTable.keepImports),
      keepCalls: try settings.value(SettingTable.keepCalls))
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

/// The settings of the components of each loop.
package struct LoopSettings: Sendable {
  let authentication: AuthenticationSettings
  let emergencies: EmergencySettings
  let answerWithinSeconds: Int64
  let groupSeasoningDays: Int
  let accountBytesMax: Int64
  let keepImports: Duration
  let keepCalls: Duration

  /// A request not answered within `answerWithinSeconds` is denied (REQ-1); people count in groups
  /// from `groupSeasoningDays` after their activation (GRP-3); an account stores at most
  /// `accountBytesMax` bytes of samples; the reports of imports and the calls of callbacks are
  /// deleted after `keepImports` and `keepCalls`.
  package init(
    authentication: AuthenticationSettings, emergencies: EmergencySettings,
    answerWithinSeconds: Int64, groupSeasoningDays: Int,
    accountBytesMax: Int64 = SampleStore.accountBytesMax,
    keepImports: Duration = ImportWorker.keptFor, keepCalls: Duration = .seconds(30 * 86_400)
  ) {
    self.authentication = authentication
    self.emergencies = emergencies
    self.answerWithinSeconds = answerWithinSeconds
    self.groupSeasoningDays = groupSeasoningDays
    self.accountBytesMax = accountBytesMax
    self.keepImports = keepImports
    self.keepCalls = keepCalls
  }
}
