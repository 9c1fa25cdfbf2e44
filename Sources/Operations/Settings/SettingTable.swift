/// All variables of the product, one constant each. No other code names them.
package enum SettingTable {
  /// All rows, in the order of the documentation.
  package static let all: [SettingDefinition] =
    placeSettings + databaseSettings + mailSettings + replicaSettings + ruleSettings
    + privacySettings + innerSettings

  /// Looks up a variable.
  package static func definition(named name: String) -> SettingDefinition? {
    all.first { $0.name == name }
  }

  // MARK: Place and addresses

  /// The state directory of this installation.
  package static let state = Setting<String>(
    "TRACKME_STATE", .path, default: .text(".trackme"), readBy: ProcessKind.allCases,
    "directory of the database, keys, mail and logs of this copy")
  /// The gateway's port for plain HTTP, always on loopback.
  package static let httpPort = Setting<UInt16>(
    "TRACKME_HTTP_PORT", .port, default: .text("8080"), readBy: [.gateway, .trackme],
    "the gateway's plain HTTP port, always on loopback")
  /// The gateway's port for HTTPS.
  package static let httpsPort = Setting<UInt16>(
    "TRACKME_HTTPS_PORT", .port, default: .text("8443"), readBy: [.gateway, .trackme],
    "the gateway's HTTPS port")
  /// The address of the HTTPS port.
  package static let bind = Setting<String>(
    "TRACKME_BIND", .internetAddress, default: .text("127.0.0.1"), readBy: [.gateway, .trackme],
    "address of the HTTPS port (0.0.0.0 in containers)")
  /// The base URL of links in mail and QR codes.
  package static let publicURL = Setting<String>(
    "TRACKME_PUBLIC_URL", .url("https", "http"),
    default: .derived(note: "https://localhost:<HTTPS port>") { settings throws(SettingsError) in
      "https://localhost:\(try settings.value(httpsPort))"
    }, readBy: ProcessKind.allCases, "base URL of links in mail and QR codes")
  /// The private port of metrics.
  package static let metricsPort = Setting<UInt16>(
    "TRACKME_METRICS_PORT", .port,
    default: .derived(note: "HTTP port + 1000, one up for each process") {
      settings throws(SettingsError) in
      "\(Int(try settings.value(httpPort)) + 1000)"
    }, readBy: ProcessKind.allCases, "private port of the metrics")
  /// The address of the metrics' port. The supervisor asks on loopback.
  package static let metricsBind = Setting<String>(
    "TRACKME_METRICS_BIND", .internetAddress, default: .text("127.0.0.1"),
    readBy: [.gateway, .data4help, .track4run],
    "address of the metrics' port; another one only without `trackme run`, and with TLS")
  /// The time zone that defines calendar days.
  package static let timeZone = Setting<String>(
    "TRACKME_TIME_ZONE", .timeZone, default: .text("Europe/Rome"), readBy: ProcessKind.allCases,
    "time zone that defines calendar days")
  /// The certificate chain of the HTTPS port.
  package static let certificatePath = Setting<String>(
    "TRACKME_TLS_CERTIFICATE", .path, default: stateFile("tls/certificate.pem"),
    readBy: [.gateway], "certificate chain of the HTTPS port (PEM); created on first start")
  /// The private key of that certificate.
  package static let certificateKeyPath = Setting<String>(
    "TRACKME_TLS_KEY", .path, default: stateFile("tls/key.pem"), readBy: [.gateway],
    "private key of that certificate (PEM)")
  /// The directory of the web pages.
  package static let pages = Setting<String>(
    "TRACKME_PAGES", .path,
    default: .none(note: "Sources/WebApp above the program, or share/trackme/pages beside bin"),
    readBy: [.gateway], "directory of the web pages")

  /// The mail address of the operator, which the help and the templates of documents name.
  package static let contact = Setting<String>(
    "TRACKME_CONTACT", .mailAddress,
    default: .none(note: "trackme@ and the host of the pages"), readBy: [.gateway, .trackme],
    "mail address of the operator, in the help and the templates of documents")
  /// The note on the rights in map tiles, which maps show.
  package static let tilesAttribution = Setting<String>(
    "TRACKME_TILES_ATTRIBUTION", .line(bytesMax: 200), default: .none(note: "none"),
    readBy: [.gateway, .track4run],
    "note on the rights in map tiles, as © OpenStreetMap contributors")
  /// The tile server.
  package static let tilesURL = Setting<Secret>(
    "TRACKME_TILES_URL", .secretURL("https", "http"),
    default: .none(note: "none: maps have no background"), secrecy: .urlPassword,
    readBy: [.track4run],
    "tile server of the maps, such as https://tile.example/{z}/{x}/{y}.png")

  private static let placeSettings = [
    state.definition, httpPort.definition, httpsPort.definition, bind.definition,
    publicURL.definition, metricsPort.definition, metricsBind.definition, timeZone.definition,
    certificatePath.definition, certificateKeyPath.definition, pages.definition,
    contact.definition, tilesURL.definition, tilesAttribution.definition,
  ]

  /// A default inside the state directory.
  static func stateFile(_ name: String) -> SettingDefault {
    .derived(note: "$TRACKME_STATE/\(name)") { settings throws(SettingsError) in
      "\(try settings.value(state))/\(name)"
    }
  }
}
