/// The rows of `Package.swift`: the permitted imports of each target.
struct PackageTable {
  /// Direct dependencies by target name.
  var imports: [String: [String]] = [:]
  var libraries: [String] = []
  var systemLibraries: [String] = []
  var executables: [String] = []

  /// Parses calls of the manifest's helpers, as in `module("HTTP", imports: "Operations")`.
  init(manifest: String) {
    let call = /\b(system|module|executable|support|tests)\(\s*"([\w-]+)"([^)]*)\)/
    for match in manifest.matches(of: call) {
      let name = String(match.2)
      switch match.1 {
      case "system": systemLibraries.append(name)
      case "module": libraries.append(name)
      case "executable": executables.append(name)
      default: break
      }
      imports[name] = match.1 == "system" ? [] : Self.names(in: match.3)
      if match.1 == "tests" { imports[name]?.append("Requirements") }
    }
  }

  /// The direct and transitive dependencies of a target.
  func reachable(from name: String) -> Set<String> {
    var found: Set<String> = []
    var waiting = imports[name] ?? []
    while let next = waiting.popLast() {
      guard found.insert(next).inserted else { continue }
      waiting += imports[next] ?? []
    }
    return found
  }

  private static func names(in text: Substring) -> [String] {
    guard let start = text.firstRange(of: "imports:") else { return [] }
    return text[start.upperBound...].matches(of: /"([\w-]+)"/).map { String($0.1) }
  }
}
