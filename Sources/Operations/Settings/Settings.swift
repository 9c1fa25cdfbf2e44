/// The source of a setting's value, in order of precedence.
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

  /// The text printed at start.
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

/// The validated settings of this process. Precedence: flag, environment, file, default.
package struct Settings: Sendable {
  struct Given: Sendable {
    let text: String
    let source: SettingSource
    /// The path of the file the text was read from; only for secrets.
    var path: String?
  }

  let given: [String: Given]

  init(given: [String: Given]) {
    self.given = given
  }

  /// The value of `setting`.
  ///
  /// - Throws: `SettingsError.missing` when it is not configured and has no default; `.badValue`
  ///   when a default computed from other settings is out of range.
  package func value<Value>(_ setting: Setting<Value>) throws(SettingsError) -> Value {
    guard let value = try optional(setting) else {
      throw .missing(name: setting.definition.name, meaning: setting.definition.meaning)
    }
    return value
  }

  /// The value of `setting`, or `nil` when it is not configured and has no default.
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
  /// The error for an invalid text, with secrets masked.
  func refusal(of text: String) -> SettingsError {
    .badValue(name: name, expectation: expectation, shown: shown(text))
  }

  /// A printable form of a text of this setting. A malformed secret is masked entirely.
  func shown(_ text: String) -> String {
    switch secrecy {
    case .open: String(text.prefix(200))
    case .urlPassword: accepts(text) ? maskingURLPasswords(text) : "***"
    }
  }
}
