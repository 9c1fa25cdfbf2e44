import Cryptography
import Operations
import WebApp

/// What is done about the limits of rates (GW-5).
enum RateLimiting: String, Sendable {
  /// They are checked, and requests over them are refused.
  case on
  /// They are checked, and refuse nothing: for benchmarks.
  case checked
  case off

  /// New limits; nil where they are not even checked.
  var limits: RateLimits? {
    switch self {
    case .on: RateLimits()
    case .checked: RateLimits(isApplied: false)
    case .off: nil
    }
  }
}

/// The gateway's settings.
struct GatewaySettings: Sendable {
  var httpPort: UInt16
  var httpsPort: UInt16
  var bind: String
  var metricsPort: UInt16
  var metricsBind: String
  var publicURL: String
  var data4help: [ServiceAddress]
  var track4run: [ServiceAddress]
  var sessionIdle: Duration
  var rateLimiting: RateLimiting
  /// The most connections of clients.
  var connections: Int
  /// The directory of the web pages; nil to look for it.
  var pagesPath: String?
  /// What the operator has set for the web pages.
  var pages: PageSettings
  var certificatePath: String
  var certificateKeyPath: String
  /// How long requests in flight may take when the process stops.
  var stopWithin: Duration

  /// Reads them; throws the errors of `Settings.value`.
  init(_ settings: Settings) throws(SettingsError) {
    httpPort = try settings.value(SettingTable.httpPort)
    httpsPort = try settings.value(SettingTable.httpsPort)
    bind = try settings.value(SettingTable.bind)
    metricsPort = try settings.value(SettingTable.metricsPort)
    metricsBind = try settings.value(SettingTable.metricsBind)
    publicURL = try settings.value(SettingTable.publicURL)
    data4help = try settings.value(SettingTable.data4helpAddresses)
    track4run = try settings.value(SettingTable.track4runAddresses)
    sessionIdle = try settings.value(SettingTable.sessionIdle)
    rateLimiting = RateLimiting(rawValue: try settings.value(SettingTable.rateLimits)) ?? .on
    connections = try settings.value(SettingTable.connections)
    pagesPath = try settings.optional(SettingTable.pages)
    pages = PageSettings(
      contact: try settings.optional(SettingTable.contact) ?? "",
      tilesAttribution: try settings.optional(SettingTable.tilesAttribution) ?? "")
    certificatePath = try settings.value(SettingTable.certificatePath)
    certificateKeyPath = try settings.value(SettingTable.certificateKeyPath)
    stopWithin = try settings.value(SettingTable.stopWithin)
  }
}

// MARK: The public address

extension GatewaySettings {
  /// Scheme and authority of the HTTPS port. The plain port is on loopback, so that its clients
  /// reach the other one under `localhost` if the public URL has no TLS.
  var secureOrigin: String {
    guard publicURL.hasPrefix("https://") else { return "https://localhost:\(httpsPort)" }
    return "https://\(publicAuthority)"
  }

  /// Whether the public URL names this machine itself.
  var isLocal: Bool {
    let authority = publicAuthority.lowercased()
    let host = authority.prefix { $0 != ":" }
    return host == "localhost" || host.hasSuffix(".localhost") || host.hasPrefix("127.")
      || authority.hasPrefix("[::1]")
  }

  private var publicAuthority: String {
    guard let scheme = publicURL.firstRange(of: "://") else { return publicURL }
    return String(publicURL[scheme.upperBound...].prefix { $0 != "/" })
  }
}
