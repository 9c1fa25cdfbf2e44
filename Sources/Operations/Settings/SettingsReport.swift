extension Settings {
  /// One effective setting as it may be printed: secrets are masked.
  package struct Effective: Sendable, Equatable {
    /// The variable.
    package let name: String
    /// Its masked text, or the note of a setting without value.
    package let shown: String
    /// Where it came from.
    package let source: SettingSource
  }

  /// What holds for `reader`, in the order of the table, for printing at start.
  ///
  /// - Throws: `SettingsError.badValue` when a default computed from others is out of range.
  package func effective(for reader: ProcessKind) throws(SettingsError) -> [Effective] {
    var rows: [Effective] = []
    for definition in SettingTable.all where definition.readers.contains(reader) {
      let given = try text(of: definition)
      let shown = given.map { definition.shown($0.text) } ?? definition.absent.shown
      rows.append(
        Effective(name: definition.name, shown: shown, source: given?.source ?? .absent))
    }
    return rows
  }
}

extension SettingTable {
  /// The table as `docs/operations.md` shows it, in Markdown.
  package static var markdown: String {
    let rows = all.map { definition in
      let readers = definition.readers.map(\.rawValue).joined(separator: ", ")
      return "| `\(definition.name)` | \(definition.absent.shown) | \(definition.meaning) "
        + "| \(definition.expectation) | \(readers) |"
    }
    let head = ["| variable | default | meaning | must be | read by |", "|---|---|---|---|---|"]
    return (head + rows).joined(separator: "\n") + "\n"
  }
}
