import EventLoop
import HTTP
import Operations
import Privacy

/// What the gateway reads of the settings.
package struct GatewaySettings: Sendable {
  package var httpPort: UInt16
  package var httpsPort: UInt16
  package var bind: String
  package var metricsPort: UInt16
  package var publicURL: String
  package var databaseURL: String
  package var data4help: [ServiceAddress]
  package var track4run: [ServiceAddress]
  package var sessionIdle: Duration
  package var limitsRates: Bool
  package var certificatePath: String
  package var certificateKeyPath: String
  package var serverSecretPath: String

  /// Reads them; errors as `Settings.value`.
  package init(_ settings: Settings) throws(SettingsError) {
    httpPort = try settings.value(SettingTable.httpPort)
    httpsPort = try settings.value(SettingTable.httpsPort)
    bind = try settings.value(SettingTable.bind)
    metricsPort = try settings.value(SettingTable.metricsPort)
    publicURL = try settings.value(SettingTable.publicURL)
    databaseURL = try settings.value(SettingTable.databaseURL).revealed
    data4help = try settings.value(SettingTable.data4helpAddresses)
    track4run = try settings.value(SettingTable.track4runAddresses)
    sessionIdle = try settings.value(SettingTable.sessionIdle)
    limitsRates = try settings.value(SettingTable.rateLimits)
    certificatePath = try settings.value(SettingTable.certificatePath)
    certificateKeyPath = try settings.value(SettingTable.certificateKeyPath)
    serverSecretPath = try settings.value(SettingTable.serverSecretPath)
  }
}
