extension Settings {
  /// The variables by which a program started from here gets what was given to this one by flag or
  /// environment. What stands in the settings file it reads itself.
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
