import Installation
import Operations

/// `trackme settings`: prints the effective settings and their sources, with secrets masked.
/// `--table` prints all settings, as in `docs/operations.md`.
enum SettingsCommand {
  static let usage = """
    usage: trackme settings           the effective settings of this installation
           trackme settings --table   all settings, as a table in Markdown
    """

  static func run(_ arguments: [String]) -> Int32 {
    if arguments == ["--table"] {
      Terminal.say(String(SettingTable.markdown.dropLast()))
      return 0
    }
    return Commands.reporting { () throws(StartError) in
      let (installation, operands) = try Installation.read(arguments)
      try Commands.refuse(operands)
      let rows = try installation.effective()
      let width = rows.map(\.name.count).max() ?? 0
      for row in rows {
        let padding = String(repeating: " ", count: width - row.name.count)
        Terminal.say("\(row.name)\(padding)  \(row.shown)  (\(row.source))")
      }
    }
  }
}

extension Installation {
  /// All effective settings in the order of the table, masked.
  func effective() throws(StartError) -> [Settings.Effective] {
    do throws(SettingsError) {
      var rows: [String: Settings.Effective] = [:]
      for kind in ProcessKind.allCases {
        for row in try settings.effective(for: kind) { rows[row.name] = row }
      }
      return SettingTable.all.compactMap { rows[$0.name] }
    } catch {
      throw StartError(error)
    }
  }
}
