/// Code that the compiler can't check has a comment with its safety argument.
///
/// A use of `unsafe` is covered by a `// SAFETY:` comment in the same function, directly above that
/// function, in the eight lines above the use, or in the two lines below it. A file whose uses all
/// have the same reason may have one comment above its first declaration. Storing a pointer in a
/// property does not count as a use.
enum UnsafeRule {
  static let reachAbove = 8
  static let reachBelow = 2

  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct else { return [] }
    guard !hasHeader(file) else { return [] }
    let bodies = FunctionBodies.bodies(in: file.code)
    return file.code.enumerated().compactMap { index, line in
      guard line.has("unsafe"), line.firstMatch(of: /(?:^|[^@\w.])unsafe\b(?!\s*:)/) != nil else {
        return nil
      }
      guard line.firstMatch(of: /unsafe (?:self\.)?\w+ = \w+\s*\}?$/) == nil else { return nil }
      let function = bodies.last { $0.declaration <= index && index <= $0.close }
      let first = min(
        index - reachAbove, function.map { leadingComment(of: $0.declaration, file) } ?? index)
      let last = max(min(index + reachBelow, file.lines.count - 1), function?.close ?? 0)
      let reach = file.lines[max(0, first)...last]
      guard !reach.contains(where: { $0.contains("SAFETY:") }) else { return nil }
      return file.finding(index, "unsafe without a // SAFETY: comment that says why it is right")
    }
  }

  private static func hasHeader(_ file: SourceFile) -> Bool {
    let header = zip(file.lines, file.code).prefix { _, code in
      code.allSatisfy(\.isWhitespace) || code.has("import ")
    }
    let comments = header.map(\.0).filter { $0.hasPrefix("//") && !$0.hasPrefix("///") }
    return comments.contains { $0.has("SAFETY") }
  }

  /// The first line of the comments and attributes directly above a declaration.
  private static func leadingComment(of declaration: Int, _ file: SourceFile) -> Int {
    var line = declaration
    while line > 0 {
      let above = file.lines[line - 1].drop { $0 == " " }
      guard above.hasPrefix("//") || above.hasPrefix("@") else { break }
      line -= 1
    }
    return line
  }
}
