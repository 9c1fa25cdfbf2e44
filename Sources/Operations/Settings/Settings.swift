import EventLoop

/// Where the value of a setting came from, the strongest first.
package enum SettingSource: Sendable, Equatable, CustomStringConvertible {
  /// A flag on the command line.
  case flag
  /// A variable of the environment.
  case environment
  /// The settings file of the state directory.
  case file
  /// A file named by `…_FILE`.
  case secretFile
  /// The table.
  case absent

  /// As it is printed at start.
  package var description: String {
    switch self {
    case .flag: "flag"
    case .environment: "environment"
    case .file: "settings file"
    case .secretFile: "secret file"
    case .absent: "default"
    }
  }
}

/// The settings of this process, checked: flag before environment before file before default.
package struct Settings: Sendable {
  struct Given: Sendable {
    let text: String
    let source: SettingSource
    /// The file that holds the text, of a secret.
    var path: String?
  }

  let given: [String: Given]

  init(given: [String: Given]) {
    self.given = given
  }

  /// The value of `setting`.
  ///
  /// - Throws: `SettingsError.missing` when nothing was given and there is no default;
  ///   `.badValue` when a default computed from other settings is out of range.
  package func value<Value>(_ setting: Setting<Value>) throws(SettingsError) -> Value {
    guard let value = try optional(setting) else {
      throw .missing(name: setting.definition.name, meaning: setting.definition.meaning)
    }
    return value
  }

  /// The value of `setting`, or `nil` when nothing was given and there is no default.
  ///
  /// - Throws: `SettingsError.badValue` when a default computed from others is out of range.
  package func optional<Value>(_ setting: Setting<Value>) throws(SettingsError) -> Value? {
    guard let text = try text(of: setting.definition)?.text else { return nil }
    guard let value = setting.kind.parse(text) else {
      throw setting.definition.refusal(of: text)
    }
    return value
  }

  /// The text and source of a row, defaults included.
  func text(of definition: SettingDefinition) throws(SettingsError) -> Given? {
    if let given = given[definition.name] { return given }
    switch definition.absent {
    case .text(let text): return Given(text: text, source: .absent)
    case .none: return nil
    case .derived(_, let compute): return Given(text: try compute(self), source: .absent)
    }
  }
}

extension SettingDefinition {
  /// The error for a text that is not of the kind, masked where it must be.
  func refusal(of text: String) -> SettingsError {
    .badValue(name: name, expectation: expectation, shown: shown(text))
  }

  /// A text of this setting as it may be shown. A malformed secret is hidden whole.
  func shown(_ text: String) -> String {
    switch secrecy {
    case .open: String(text.prefix(200))
    case .urlPassword: accepts(text) ? maskingURLPasswords(text) : "***"
    }
  }
}
