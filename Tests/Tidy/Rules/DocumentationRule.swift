/// Declarations for other modules have a doc comment, and each module states its purpose.
///
/// A run of one-line properties shares the comment above the first. Requirements of a protocol are
/// documented in the protocol: implementations of our own requirements, or of those named by the
/// standard library (`==`, `description`), need no comment of their own.
enum DocumentationRule {
  static func findings(in file: SourceFile, requirements: Set<String> = []) -> [Finding] {
    guard file.isProduct else { return [] }
    return file.code.enumerated().compactMap { index, line in
      guard isDeclaration(line), !isDocumented(index, file) else { return nil }
      if let name = signature(line), requirements.contains(name) { return nil }
      return file.finding(index, "a declaration for other modules without a doc comment")
    }
  }

  /// The requirements of a file's protocols, as `func name` or `var name`.
  static func requirements(in file: SourceFile) -> Set<String> {
    guard file.isProduct else { return [] }
    var names: Set<String> = []
    var isInside = false
    for line in file.code {
      if line.has("protocol "), line.has("{") { isInside = true }
      if line.hasPrefix("}") { isInside = false }
      if isInside, let name = signature(line) { names.insert(name) }
    }
    return names
  }

  private static func signature(_ line: String) -> String? {
    let pattern = /\b(?:(func|var|let)\s+(\w+)|(init)\((\w+))/
    guard let match = line.firstMatch(of: pattern) else { return nil }
    let kind = match.1 == "let" ? "var" : match.1 ?? match.3 ?? ""
    return "\(kind) \(match.2 ?? match.4 ?? "")"
  }

  /// A module's main file, named like the module, begins with a paragraph of comment.
  static func findings(inModule name: String, mainFile file: SourceFile?) -> [Finding] {
    let path = "Sources/\(name)/\(name).swift"
    guard let file else {
      return [Finding(path: path, line: 0, message: "the module has no file of its name")]
    }
    let hasCode = file.code.contains { $0.contains { !$0.isWhitespace } }
    let opening = file.lines.prefix { $0.hasPrefix("//") && !$0.hasPrefix("///") }
    guard opening.joined().count > 80 || !hasCode else {
      return [file.finding(0, "the module's main file opens with a paragraph of // comment")]
    }
    return []
  }

  private static func isDeclaration(_ line: String) -> Bool {
    guard line.has("package ") || line.has("public ") || line.has("open ") else { return false }
    let kinds = "func|var|let|struct|enum|class|actor|protocol|init|typealias|subscript|macro"
    let pattern =
      "^\\s*(?:@\\w+(?:\\([^)]*\\))?\\s+)*(?:\\w+(?:\\(\\w+\\))?\\s+)*?"
      + "(?:package|public|open)\\s+(?:\\w+(?:\\(\\w+\\))?\\s+)*?(?:\(kinds))\\b"
    guard let regex = try? Regex(pattern), line.firstMatch(of: regex) != nil else { return false }
    return !isWitness(line)
  }

  /// Requirements of the standard library's protocols, which are documented there.
  private static func isWitness(_ line: String) -> Bool {
    let function = /func (?:==|<|hash\(into |encode\(to |appendLiteral\()/
    let initializer = /init\((?:\w+Literal |from |stringInterpolation|literalCapacity)/
    return line.firstMatch(of: function) != nil || line.firstMatch(of: initializer) != nil
      || line.has("var description:")
  }

  private static func isOneLineProperty(_ text: Substring) -> Bool {
    (text.contains("let ") || text.contains("var ")) && !text.hasSuffix("{") && !text.hasSuffix("(")
  }

  private static func isDocumented(_ index: Int, _ file: SourceFile) -> Bool {
    var line = index - 1
    let sharesComment = isOneLineProperty(file.lines[index][...])
    while line >= 0 {
      let text = file.lines[line].drop { $0 == " " }
      if sharesComment, isDeclaration(file.code[line]), isOneLineProperty(text) {
        line -= 1
        continue
      }
      if text.hasPrefix("///") || text.hasSuffix("*/") { return true }
      guard text.hasPrefix("@") || text.hasPrefix("//") || text.hasPrefix("#if") else {
        return false
      }
      line -= 1
    }
    return false
  }
}
