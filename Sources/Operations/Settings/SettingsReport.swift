extension Settings {
  /// One effective setting in printable form, with secrets masked.
  package struct Effective: Sendable, Equatable {
    /// The variable.
    package let name: String
    /// Its masked text, or the note if it has no value.
    package let shown: String
    /// The source of the value.
    package let source: SettingSource
  }

  /// The effective settings of `reader` in the order of the table, to be printed at start.
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
  /// The table in Markdown, exactly as in `docs/operations.md`.
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
