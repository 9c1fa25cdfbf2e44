extension Settings {
  /// The environment that passes this process's flags and variables to a child process. The child
  /// reads the settings file itself.
  package func environment(for reader: ProcessKind) -> [String: String] {
    var variables: [String: String] = [:]
    for definition in SettingTable.all where definition.readers.contains(reader) {
      guard let given = given[definition.name], given.source != .file else { continue }
      if let path = given.path, let variable = definition.fileVariable {
        variables[variable] = path
      } else {
        variables[definition.name] = given.text
      }
    }
    return variables
  }
}
