import EventLoop
import Operations
import Requirements
import Testing

/// Reads settings from the given sources only; `file` is the settings file's text.
private func load(
  _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil,
  others: [String: String] = [:]
) throws(SettingsError) -> Settings {
  var files = others
  files["state/settings"] = file
  let variables = environment.merging(["TRACKME_STATE": "state"]) { given, _ in given }
  return try Settings.load(
    arguments: arguments, environment: variables,
    readFile: { path throws(SystemError) in files[path].map { Array($0.utf8) } }
  ).settings
}

/// The error sentence for these sources.
private func refusal(
  _ arguments: [String] = [], _ environment: [String: String] = [:], file: String? = nil,
  others: [String: String] = [:]
) -> String? {
  do throws(SettingsError) {
    _ = try load(arguments, environment, file: file, others: others)
    return nil
  } catch {
    return error.description
  }
}

@Suite("Settings")
struct SettingsTests {
  @Test("flags take precedence over the environment, then the file, then the default")
  func precedence() throws {
    let variable = ["TRACKME_HTTP_PORT": "3"]
    let file = "TRACKME_HTTP_PORT=4"
    #expect(try load(["--http-port", "2"], variable, file: file).value(SettingTable.httpPort) == 2)
    #expect(try load(["--http-port=2"], variable, file: file).value(SettingTable.httpPort) == 2)
    #expect(try load([], variable, file: file).value(SettingTable.httpPort) == 3)
    #expect(try load(file: file).value(SettingTable.httpPort) == 4)
    #expect(try load().value(SettingTable.httpPort) == 8080)
  }

  @Test("computed defaults follow the settings they depend on")
  func derived() throws {
    let settings = try load([], ["TRACKME_HTTP_PORT": "9000", "TRACKME_HTTPS_PORT": "9443"])
    #expect(try settings.value(SettingTable.metricsPort) == 10_000)
    #expect(try settings.value(SettingTable.publicURL) == "https://localhost:9443")
    #expect(try settings.value(SettingTable.masterKeyPath) == "state/keys/master.key")
  }

  @Test("metrics are on loopback unless another address is set, which must be an address")
  func metricsAddress() throws {
    #expect(try load().value(SettingTable.metricsBind) == "127.0.0.1")
    let settings = try load([], ["TRACKME_METRICS_BIND": "10.91.2.11"])
    #expect(try settings.value(SettingTable.metricsBind) == "10.91.2.11")
    #expect(throws: SettingsError.self) {
      try load([], ["TRACKME_METRICS_BIND": "anywhere"]).value(SettingTable.metricsBind)
    }
  }

  @Test("the error for a computed default out of range names the setting to provide")
  func derivedOutOfRange() throws {
    let settings = try load([], ["TRACKME_HTTP_PORT": "65000"])
    #expect(throws: SettingsError.self) { try settings.value(SettingTable.metricsPort) }
  }

  @Test("an unknown variable is refused in every source, with the nearest names")
  func unknownName() {
    #expect(
      refusal([], ["TRACKME_HTP_PORT": "1"])
        == "TRACKME_HTP_PORT (environment) is not a setting of TrackMe; "
        + "did you mean TRACKME_HTTP_PORT or TRACKME_HTTPS_PORT?")
    #expect(
      refusal(file: "\nTRACKME_DEMOS=1")
        == "TRACKME_DEMOS (line 2 of state/settings) is not a setting of TrackMe; "
        + "did you mean TRACKME_DEMO?")
    #expect(
      refusal(["--http-prot", "1"])
        == "--http-prot is not a flag of TrackMe; did you mean --http-port?")
    #expect(refusal([], ["TRACKME_QUITE_ANOTHER_THING": "1"])?.contains("did you mean") == false)
  }

  @Test("variables without the prefix are ignored")
  func othersVariables() throws {
    _ = try load([], ["PATH": "/bin", "TRACK": "x", "PGPASSWORD": "y"])
  }

  @Test("a port outside its range is refused", arguments: ["0", "65536", "x", "", " 80", "+80"])
  func badPort(_ text: String) {
    #expect(
      refusal([], ["TRACKME_HTTP_PORT": text])
        == "TRACKME_HTTP_PORT must be a port from 1 to 65535, not \"\(text)\".")
  }

  @Test("a port at the ends of its range is accepted", arguments: [1, 65535] as [UInt16])
  func goodPort(_ port: UInt16) throws {
    let settings = try load([], ["TRACKME_HTTP_PORT": "\(port)"])
    #expect(try settings.value(SettingTable.httpPort) == port)
  }

  @Test(
    "a value that is invalid for its setting is refused",
    arguments: [
      ("TRACKME_BIND", "localhost"), ("TRACKME_BIND", "1.2.3"), ("TRACKME_DEMO", "yes"),
      ("TRACKME_TIME_ZONE", "../etc/passwd"), ("TRACKME_TIME_ZONE", ""),
      ("TRACKME_HOSPITALS", "all"), ("TRACKME_CALLBACK_ALLOW", "10.0.0.0/33"),
      ("TRACKME_CALLBACK_ALLOW", "10.0.0.0/8,"), ("TRACKME_PUBLIC_URL", "ftp://x"),
      ("TRACKME_ANSWER_WITHIN", "0"), ("TRACKME_DATA4HELP_REPLICAS", "65"),
      ("TRACKME_LISTEN", "unix:relative.sock"), ("TRACKME_LISTEN", "127.0.0.1:0"),
      ("TRACKME_LISTEN", "unix:/" + String(repeating: "a", count: 107)),
      ("TRACKME_CONTACT", "help"), ("TRACKME_CONTACT", "a b@c.example"),
      ("TRACKME_CONTACT", "a@b@c"), ("TRACKME_TILES_ATTRIBUTION", "two\nlines"),
      ("TRACKME_TILES_URL", "ftp://tile.example/{z}/{x}/{y}"),
      ("TRACKME_DOCUMENTS", "off"), ("TRACKME_OPERATOR", "two\nlines"), ("TRACKME_OPERATOR", ""),
    ])
  func badValue(_ name: String, _ text: String) {
    #expect(refusal([], [name: text])?.hasPrefix("\(name) must be ") == true)
  }

  @Test("values of every kind are parsed")
  func goodValues() throws {
    let settings = try load(
      [],
      [
        "TRACKME_DEMO": "off", "TRACKME_CALLBACK_ALLOW": "10.0.0.0/8,fd00::/8",
        "TRACKME_SOS_ABORT": "60", "TRACKME_LISTEN": "unix:/" + String(repeating: "a", count: 106),
        "TRACKME_DATA4HELP_ADDRESSES": "unix:/run/a.sock,[::1]:9000,data:81",
        "TRACKME_CONTACT": "help@trackme.example", "TRACKME_TILES_ATTRIBUTION": "© Città",
      ])
    #expect(try settings.value(SettingTable.demo) == false)
    #expect(try settings.value(SettingTable.callbackAllow) == ["10.0.0.0/8", "fd00::/8"])
    #expect(try settings.value(SettingTable.sosAbort) == .seconds(60))
    #expect(try settings.value(SettingTable.contact) == "help@trackme.example")
    #expect(try settings.value(SettingTable.tilesAttribution) == "© Città")
    #expect(
      try settings.value(SettingTable.data4helpAddresses) == [
        .unix(path: "/run/a.sock"), .tcp(host: "::1", port: 9000), .tcp(host: "data", port: 81),
      ])
  }

  @Test(
    "a retention period is whole days within its bounds", .tags(.NFR_6),
    arguments: [
      (SettingTable.keepSessions, 365), (SettingTable.keepImports, 365),
      (SettingTable.keepCalls, 365), (SettingTable.keepInvitations, 1000),
    ])
  func retention(_ setting: Setting<Duration>, _ daysMax: Int) throws {
    let name = setting.definition.name
    for days in [1, daysMax] {
      let settings = try load([], [name: "\(days)"])
      #expect(try settings.value(setting) == .seconds(86_400 * days))
    }
    for text in ["0", "\(daysMax + 1)", "1.5", "-1", ""] {
      let expected = "\(name) must be whole days from 1 to \(daysMax), not \"\(text)\"."
      #expect(refusal([], [name: text]) == expected)
    }
  }

  @Test("a missing setting without default is an error only when it is required")
  func missing() throws {
    let settings = try load()
    #expect(try settings.optional(SettingTable.listen) == nil)
    #expect(throws: SettingsError.self) { try settings.value(SettingTable.listen) }
  }

  @Test("a flag without value and a repeated flag are refused")
  func flags() {
    #expect(refusal(["--http-port"]) == "--http-port needs a value.")
    #expect(refusal(["--http-port", "--demo", "1"]) == "--http-port needs a value.")
    #expect(
      refusal(["--demo", "1", "--demo", "0"]) == "TRACKME_DEMO is given twice (command line).")
  }

  @Test("words without flag, flags of the command, and all after -- are passed to the command")
  func operands() throws {
    let (_, operands) = try Settings.load(
      arguments: ["first", "--json", "--demo", "0", "--", "--http-port"], environment: [:],
      commandFlags: ["--json"], readFile: { _ in nil })
    #expect(operands == ["first", "--json", "--http-port"])
  }

  @Test("the settings file may have comments and blank lines, but no name twice")
  func file() throws {
    let settings = try load(file: "# a remark\n\n TRACKME_DEMO = 0 \r\n")
    #expect(try settings.value(SettingTable.demo) == false)
    #expect(refusal(file: "TRACKME_DEMO") == "Line 1 of state/settings is not NAME=VALUE.")
    #expect(
      refusal(file: "TRACKME_DEMO=1\nTRACKME_DEMO=0")
        == "TRACKME_DEMO is given twice (line 2 of state/settings).")
    #expect(
      refusal(file: "TRACKME_STATE=x")
        == "TRACKME_STATE cannot be set in state/settings, which it locates.")
  }
}

@Suite("Secrets in settings")
struct SecretSettingsTests {
  private let url = "smtp://me:hush@mail:25"

  @Test("a secret is read from the file named by its _FILE variable")
  func secretFile() throws {
    let settings = try load(
      [], ["TRACKME_SMTP_URL_FILE": "secret"], others: ["secret": "\(url)\n"])
    #expect(try settings.value(SettingTable.smtpURL).revealed == url)
    #expect(
      refusal([], ["TRACKME_SMTP_URL_FILE": "gone"])
        == "gone cannot be read (there is no such file).")
  }

  @Test("a secret and its file in the same source are refused")
  func both() {
    #expect(
      refusal(
        [], ["TRACKME_SMTP_URL": url, "TRACKME_SMTP_URL_FILE": "f"], others: ["f": url])
        == "TRACKME_SMTP_URL and TRACKME_SMTP_URL_FILE are both given: leave one out.")
  }

  @Test("a password on the command line is refused, the same URL without one is not")
  func flag() throws {
    #expect(refusal(["--smtp-url", url])?.contains("hush") == false)
    _ = try load(["--smtp-url", "smtp://mail:25"])
    _ = try load(["--smtp-url-file", "f"], others: ["f": url])
  }

  @Test(
    "passwords are masked in the settings printed at start",
    arguments: [
      ("postgres://u:p@ss@host/db?x=1", "postgres://u:***@host/db?x=1"),
      ("postgres:///db?host=/run&password=hush", "postgres:///db?host=/run&password=***"),
      ("postgres://u@host/db", "postgres://u@host/db"),
      (
        "postgres://h/db?apikey=hush&x=1&access_token=hush",
        "postgres://h/db?apikey=***&x=1&access_token=***"
      ),
      ("postgres://u:hush@[::1]:5432", "postgres://u:***@[::1]:5432"),
    ])
  func masking(_ text: String, _ shown: String) throws {
    let settings = try load([], ["TRACKME_DATABASE_URL": text])
    let rows = try settings.effective(for: .data4help)
    let row = try #require(rows.first { $0.name == "TRACKME_DATABASE_URL" })
    #expect(row.shown == shown)
    #expect(row.source == .environment)
  }

  @Test("the error for a malformed secret does not show it")
  func badSecret() {
    let sentence = refusal([], ["TRACKME_SMTP_URL": "hush"])
    #expect(
      sentence
        == "TRACKME_SMTP_URL must be a URL that begins with smtp:// or smtps://, not \"***\".")
  }

  @Test("a secret is masked in every way of printing it")
  func description() {
    let secret = Secret("hush")
    #expect("\(secret)\(String(reflecting: secret))" == "******")
    var dumped = ""
    dump(secret, to: &dumped)
    #expect(!dumped.contains("hush"))
  }
}
