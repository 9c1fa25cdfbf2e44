/// A variable of the operator: its name, meaning and default, and how its text becomes a value.
package struct Setting<Value: Sendable>: Sendable {
  /// What tables and checks need to know of it.
  package let definition: SettingDefinition
  let kind: SettingKind<Value>

  /// A row of the table.
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
  /// The variable, as `TRACKME_HTTP_PORT`.
  package let name: String
  /// What holds when nothing is given.
  package let absent: SettingDefault
  /// Whether it must be masked.
  package let secrecy: SettingSecrecy
  /// Which programs read it.
  package let readers: [ProcessKind]
  /// What it decides, in a few words.
  package let meaning: String
  /// What its text must be, to complete "must be …".
  package let expectation: String
  let accepts: @Sendable (String) -> Bool

  /// The flag that stands for the variable, as `--http-port`.
  package var flag: String {
    "--" + name.dropFirst(settingPrefix.count).lowercased().map { $0 == "_" ? "-" : $0 }
  }

  /// The variable that names a file holding the value; only secrets have one.
  package var fileVariable: String? {
    secrecy == .open ? nil : name + "_FILE"
  }
}

/// What every variable of ours begins with.
let settingPrefix = "TRACKME_"

/// What holds when nothing is given for a setting.
package enum SettingDefault: Sendable {
  /// A fixed text.
  case text(String)
  /// Nothing; the note says what that means.
  case none(note: String)
  /// Computed from other settings; the note says how.
  case derived(note: String, @Sendable (Settings) throws(SettingsError) -> String)

  /// The default as the table shows it.
  package var shown: String {
    switch self {
    case .text(let text): text
    case .none(let note), .derived(let note, _): note
    }
  }
}

/// How much of a setting must be masked.
package enum SettingSecrecy: Sendable {
  /// Nothing.
  case open
  /// The password inside the URL.
  case urlPassword
}

/// The programs of this product.
package enum ProcessKind: String, Sendable, CaseIterable {
  /// The only public entrance.
  case gateway
  /// The service of health data.
  case data4help
  /// The service of runs.
  case track4run
  /// The operator's tool, with the supervisor.
  case trackme
}
