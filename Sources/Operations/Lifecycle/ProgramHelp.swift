/// The answers of a program about itself, which need no settings.
package enum ProgramHelp {
  /// The version of TrackMe: the newest one in CHANGELOG.md.
  package static let version = "0.1.0"
  /// The argument that prints the version.
  package static let versionFlag = "--version"
  /// The arguments that print the help.
  package static let helpFlags: Set<String> = ["--help", "-h"]

  /// The lines that a service prints instead of starting; nil if its arguments ask for neither help
  /// nor version.
  package static func answer(to arguments: [String], as service: ProcessKind) -> String? {
    if !helpFlags.isDisjoint(with: arguments) { return help(of: service) }
    return arguments.contains(versionFlag) ? "\(service.rawValue) \(version)" : nil
  }

  private static func help(of service: ProcessKind) -> String {
    var rows: [(flag: String, meaning: String)] = [
      (flag: "--help", meaning: "print this text"),
      (flag: versionFlag, meaning: "print the version"),
    ]
    for setting in SettingTable.all where setting.readers.contains(service) {
      rows.append((flag: setting.flag, meaning: "\(setting.meaning) (\(setting.absent.shown))"))
    }
    let width = rows.map { $0.flag.count }.max() ?? 0
    let lines = rows.map { row in
      let padding = String(repeating: " ", count: width - row.flag.count)
      return "  \(row.flag)\(padding)  \(row.meaning)"
    }
    return """
      usage: \(service.rawValue) [--SETTING VALUE]…
      \(purpose(of: service))

      `trackme run` starts all programs on one machine. docs/operations.md describes this, the units
      of systemd and the containers. Each setting is a flag, or a variable, such as TRACKME_STATE
      for --state, or a line of the file `settings` in the state directory, in this order. The text
      in parentheses is the default; `trackme settings --table` lists the valid values.

      \(lines.joined(separator: "\n"))
      """
  }

  private static func purpose(of service: ProcessKind) -> String {
    switch service {
    case .gateway: "The public entry point of TrackMe, in front of data4help and track4run."
    case .data4help: "The service of TrackMe for accounts, health data, requests and emergencies."
    case .track4run: "The service of TrackMe for runs."
    case .trackme: "The operator's tool of TrackMe."
    }
  }
}
