/// A text file of the tree with the properties that rules need.
struct SourceFile {
  /// The path relative to the root of the repository.
  let path: String
  let text: String
  let isExecutable: Bool
  let lines: [String]
  /// The lines without comments and contents of string literals; only for Swift files.
  let code: [String]

  init(path: String, text: String, isExecutable: Bool = false) {
    self.path = path
    self.text = text
    self.isExecutable = isExecutable
    lines = Self.split(text)
    code = path.hasSuffix(".swift") ? Self.split(CodeMask.masked(text)) : []
  }

  var isSwift: Bool { path.hasSuffix(".swift") }
  var isProduct: Bool { isSwift && path.hasPrefix("Sources/") }
  var isTest: Bool { isSwift && path.hasPrefix("Tests/") }
  var isScript: Bool { path.hasSuffix(".sh") || path == "Makefile" || text.hasPrefix("#!") }

  /// The target of the file: `HTTP` for `Sources/HTTP/Server/Server.swift`.
  var module: String? {
    let parts = path.split(separator: "/")
    guard parts.count > 2, parts[0] == "Sources" || parts[0] == "Tests" else { return nil }
    return String(parts[1])
  }

  func finding(_ index: Int, _ message: String) -> Finding {
    Finding(path: path, line: index + 1, message: message)
  }

  private static func split(_ text: String) -> [String] {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
