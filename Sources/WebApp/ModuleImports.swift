/// The static imports between the browser's modules.
struct ModuleImports {
  private let files: [String: [UInt8]]

  /// The imports of these files, by their path.
  init(_ files: [String: [UInt8]]) { self.files = files }

  /// A module and all that it imports, directly or not, in the order in which they are found.
  func reached(from first: String) -> [String] {
    var found = [first]
    var next = 0
    while next < found.count {
      for module in imports(of: found[next]) where !found.contains(module) {
        found.append(module)
      }
      next += 1
    }
    return found
  }

  /// The existing files that a module names in `import … from "./x.js"`, or in `export … from`. An
  /// `import("./x.js")` runs later, if at all.
  private func imports(of path: String) -> [String] {
    guard let bytes = files[path] else { return [] }
    let text = String(decoding: bytes, as: UTF8.self)
    return text.matches(of: /(?:\bfrom|\bimport)\s+"(\.\.?\/[^"\n]+)"/).compactMap { match in
      let target = Self.path(String(match.1), from: path)
      return files[target] == nil ? nil : target
    }
  }

  /// The path that a relative address names in a file.
  private static func path(_ address: String, from file: String) -> String {
    var parts = file.split(separator: "/").dropLast()
    for part in address.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts.joined(separator: "/")
  }
}
