/// The module table of `docs/architecture.md` and the rows of `Package.swift` are the same table.
enum ArchitectureRule {
  static let path = "docs/architecture.md"

  static func findings(document: SourceFile, table: PackageTable) -> [Finding] {
    let documented = rows(in: document.text)
    let modules = table.libraries + table.executables
    return modules.compactMap { module in
      guard let row = documented[module] else {
        return Finding(path: path, line: 0, message: "\(module) is missing in the module table")
      }
      let imports = Set(table.imports[module] ?? [])
      guard row != imports else { return nil }
      let message = "\(module): the document says \(row.sorted()), the package \(imports.sorted())"
      return Finding(path: path, line: 0, message: message)
    }
      + Set(documented.keys).subtracting(modules + table.systemLibraries).sorted().map {
        Finding(path: path, line: 0, message: "\($0) is in the module table, not in the package")
      }
  }

  /// Rows look like ``| `HTTP` | what it is | `Operations`, `COpenSSL` |``.
  private static func rows(in text: String) -> [String: Set<String>] {
    var rows: [String: Set<String>] = [:]
    for match in text.matches(of: /(?m)^\| (`[\w-]+`(?:, `[\w-]+`)*) \|[^|]*\|([^|]*)\|$/) {
      let imports = Set(match.2.matches(of: /`([\w-]+)`/).map { String($0.1) })
      for name in match.1.matches(of: /`([\w-]+)`/) { rows[String(name.1)] = imports }
    }
    return rows
  }
}
