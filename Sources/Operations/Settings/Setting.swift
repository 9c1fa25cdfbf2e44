/// A setting of the product: its name, meaning and default, and the parser of its text.
package struct Setting<Value: Sendable>: Sendable {
  /// The untyped description, for tables and checks.
  package let definition: SettingDefinition
  let kind: SettingKind<Value>

  /// Defines a row of the table.
  init(
    _ name: String, _ kind: SettingKind<Value>, default absent: SettingDefault,
    secrecy: SettingSecrecy = .open, readBy readers: [ProcessKind], _ meaning: String
  ) {
    self.kind = kind
    definition = SettingDefinition(
      name: name, absent: absent, secrecy: secrecy, readers: readers, meaning: meaning,
      expectation: kind.expectation, accepts: { kind.parse($0) != nil })
  }
}

/// One row of the table of settings, without its type.
package struct SettingDefinition: Sendable {
  /// The variable, such as `TRACKME_HTTP_PORT`.
  package let name: String
  /// The value when none is configured.
  package let absent: SettingDefault
  /// Which part of the value must be masked.
  package let secrecy: SettingSecrecy
  /// The programs that read it.
  package let readers: [ProcessKind]
  /// Its effect, in a few words.
  package let meaning: String
  /// Describes valid values; completes the sentence "must be …".
  package let expectation: String
  let accepts: @Sendable (String) -> Bool

  /// The command-line flag of the variable, such as `--http-port`.
  package var flag: String {
    "--" + name.dropFirst(settingPrefix.count).lowercased().map { $0 == "_" ? "-" : $0 }
  }

  /// The variable with the path of a file that holds the value; only secrets have one.
  package var fileVariable: String? {
    secrecy == .open ? nil : name + "_FILE"
  }
}

/// The prefix of all variables of the product.
let settingPrefix = "TRACKME_"

/// The value of a setting that is not configured.
package enum SettingDefault: Sendable {
  /// A fixed text.
  case text(String)
  /// No value; the note explains the consequence.
  case none(note: String)
  /// Computed from other settings; the note explains how.
  case derived(note: String, @Sendable (Settings) throws(SettingsError) -> String)

  /// The default as the table shows it.
  package var shown: String {
    switch self {
    case .text(let text): text
    case .none(let note), .derived(let note, _): note
    }
  }
}

/// Which part of a setting must be masked.
package enum SettingSecrecy: Sendable {
  /// Nothing.
  case open
  /// The password inside the URL.
  case urlPassword
}

/// The programs of this product.
package enum ProcessKind: String, Sendable, CaseIterable {
  /// The only public entry point.
  case gateway
  /// The service for health data.
  case data4help
  /// The service for runs.
  case track4run
  /// The operator's tool, with the supervisor, and the lab.
  case trackme
}
