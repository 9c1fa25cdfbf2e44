import EventLoop

extension Settings {
  /// Reads the settings of this process.
  ///
  /// - Parameters:
  ///   - arguments: the arguments after the name of the program (and command).
  ///   - environment: all variables; those without the prefix `TRACKME_` are ignored.
  ///   - commandFlags: flags of the calling command, such as `--json`; they stay in the operands.
  ///   - readFile: returns the bytes of a file, or `nil` if it does not exist.
  /// - Returns: the settings, and the operands: all arguments that are not setting flags. Every
  ///   argument after `--` is an operand.
  /// - Throws: the first `SettingsError` found; every configured value is checked.
  package static func load(
    arguments: [String], environment: [String: String], commandFlags: Set<String> = [],
    readFile: (String) throws(SystemError) -> [UInt8]? = readSettingsFile
  ) throws(SettingsError) -> (settings: Settings, operands: [String]) {
    var reader = SettingsReader()
    let operands = try reader.takeFlags(arguments, commandFlags: commandFlags)
    try reader.takeEnvironment(environment)
    try reader.takeFiles(readFile)
    return (reader.settings, operands)
  }

  /// Reads the settings of a command that needs only the state directory, which no file names. It
  /// must work on a copy whose settings file is wrong.
  ///
  /// - Returns: the settings up to the first fault, the operands, and this fault in the settings
  ///   file or a secret file.
  /// - Throws: the first `SettingsError` of a flag or a variable.
  package static func loadState(
    arguments: [String], environment: [String: String],
    readFile: (String) throws(SystemError) -> [UInt8]? = readSettingsFile
  ) throws(SettingsError) -> (settings: Settings, operands: [String], fault: SettingsError?) {
    var reader = SettingsReader()
    let operands = try reader.takeFlags(arguments, commandFlags: [])
    try reader.takeEnvironment(environment)
    do throws(SettingsError) {
      try reader.takeFiles(readFile)
      return (reader.settings, operands, nil)
    } catch {
      return (reader.settings, operands, error)
    }
  }
}

/// Reads a settings file or a secret file of at most 64 KiB; `nil` if it does not exist.
package func readSettingsFile(_ path: String) throws(SystemError) -> [UInt8]? {
  do throws(SystemError) {
    return try FileSystem.read(path, bytesMax: 65_536)
  } catch {
    if error.isNoSuchFile { return nil }
    throw error
  }
}

/// Collects texts in order of precedence: a text that is already present is kept.
private struct SettingsReader {
  private var given: [String: Settings.Given] = [:]
  private var secretFiles: [SecretPath] = []

  private struct SecretPath {
    let definition: SettingDefinition
    let path: String
    let source: SettingSource
  }

  var settings: Settings { Settings(given: given) }

  mutating func takeFlags(
    _ arguments: [String], commandFlags: Set<String>
  ) throws(SettingsError) -> [String] {
    var operands: [String] = []
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word == "--" { return operands + rest }
      let (flag, attached) = Self.splitAtEquals(word)
      guard flag.hasPrefix("--"), !commandFlags.contains(flag) else {
        operands.append(word)
        continue
      }
      guard let definition = SettingTable.all.first(where: { $0.flag == flag }) else {
        try takeFileFlag(flag, attached, &rest, commandFlags)
        continue
      }
      guard let text = attached ?? rest.popFirst(), attached != nil || !text.hasPrefix("--") else {
        throw .flagWithoutValue(flag)
      }
      if definition.secrecy != .open, definition.shown(text) != text {
        throw .secretInFlag(flag: flag, name: definition.name)
      }
      try take(definition, text, from: .flag, origin: "command line")
    }
    return operands
  }

  /// Handles `--smtp-url-file path`, and throws for unknown flags.
  private mutating func takeFileFlag(
    _ flag: String, _ attached: String?, _ rest: inout ArraySlice<String>,
    _ commandFlags: Set<String>
  ) throws(SettingsError) {
    let secret = SettingTable.all.first { $0.fileVariable != nil && "\($0.flag)-file" == flag }
    guard let secret else {
      let known = SettingTable.all.map(\.flag) + commandFlags
      throw .unknownFlag(flag, nearest: nearestNames(to: flag, among: known))
    }
    guard let path = attached ?? rest.popFirst() else { throw .flagWithoutValue(flag) }
    try takeSecretPath(secret, path, from: .flag, origin: "command line")
  }

  mutating func takeEnvironment(_ environment: [String: String]) throws(SettingsError) {
    for (name, text) in environment.sorted(by: { $0.key < $1.key })
    where name.hasPrefix(settingPrefix) {
      try take(named: name, text, from: .environment, origin: "environment")
    }
  }

  mutating func takeFiles(
    _ readFile: (String) throws(SystemError) -> [UInt8]?
  ) throws(SettingsError) {
    let state = try settings.value(SettingTable.state)
    try takeFile("\(state)/settings", readFile)
    try takeSecretFiles(readFile)
  }

  private mutating func takeFile(
    _ path: String, _ readFile: (String) throws(SystemError) -> [UInt8]?
  ) throws(SettingsError) {
    var seen: Set<String> = []
    for line in try SettingsFile.parse(try Self.contents(of: path, readFile) ?? [], path: path) {
      let origin = "line \(line.number) of \(path)"
      if line.name == SettingTable.state.definition.name {
        throw .notInFile(name: line.name, path: path)
      }
      guard seen.insert(line.name).inserted else {
        throw .repeated(line.name, origin: origin)
      }
      try take(named: line.name, line.text, from: .file, origin: origin)
    }
  }

  private mutating func takeSecretFiles(
    _ readFile: (String) throws(SystemError) -> [UInt8]?
  ) throws(SettingsError) {
    for secret in secretFiles {
      guard let bytes = try Self.contents(of: secret.path, readFile) else {
        throw .unreadable(path: secret.path, reason: "there is no such file")
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let end = text.lastIndex { !$0.isNewline }.map { text.index(after: $0) }
      let content = String(text[..<(end ?? text.startIndex)])
      try check(secret.definition, content, from: .secretFile, path: secret.path)
    }
  }

  private mutating func take(
    named name: String, _ text: String, from source: SettingSource, origin: String
  ) throws(SettingsError) {
    if let definition = SettingTable.definition(named: name) {
      try take(definition, text, from: source, origin: origin)
    } else if let secret = SettingTable.all.first(where: { $0.fileVariable == name }) {
      try takeSecretPath(secret, text, from: source, origin: origin)
    } else {
      let known = SettingTable.all.flatMap { [$0.name] + ($0.fileVariable.map { [$0] } ?? []) }
      throw .unknownName(name, origin: origin, nearest: nearestNames(to: name, among: known))
    }
  }

  private mutating func take(
    _ definition: SettingDefinition, _ text: String, from source: SettingSource, origin: String
  ) throws(SettingsError) {
    let file = secretFiles.first { $0.definition.name == definition.name }
    if file?.source == source { throw .valueAndFile(name: definition.name) }
    if given[definition.name]?.source == source {
      throw .repeated(definition.name, origin: origin)
    }
    if given[definition.name] == nil, file == nil { try check(definition, text, from: source) }
  }

  private mutating func takeSecretPath(
    _ definition: SettingDefinition, _ path: String, from source: SettingSource, origin: String
  ) throws(SettingsError) {
    let file = secretFiles.first { $0.definition.name == definition.name }
    if file?.source == source { throw .repeated("\(definition.name)_FILE", origin: origin) }
    if given[definition.name]?.source == source { throw .valueAndFile(name: definition.name) }
    if given[definition.name] == nil, file == nil {
      secretFiles.append(SecretPath(definition: definition, path: path, source: source))
    }
  }

  private mutating func check(
    _ definition: SettingDefinition, _ text: String, from source: SettingSource,
    path: String? = nil
  ) throws(SettingsError) {
    guard definition.accepts(text) else { throw definition.refusal(of: text) }
    given[definition.name] = Settings.Given(text: text, source: source, path: path)
  }

  private static func splitAtEquals(_ word: String) -> (flag: String, text: String?) {
    guard word.hasPrefix("--"), let equals = word.firstIndex(of: "=") else { return (word, nil) }
    return (String(word[..<equals]), String(word[word.index(after: equals)...]))
  }

  private static func contents(
    of path: String, _ readFile: (String) throws(SystemError) -> [UInt8]?
  ) throws(SettingsError) -> [UInt8]? {
    do throws(SystemError) {
      return try readFile(path)
    } catch {
      throw .unreadable(path: path, reason: error.description)
    }
  }
}
