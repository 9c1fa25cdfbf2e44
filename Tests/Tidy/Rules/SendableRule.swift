/// `@unchecked Sendable` is a promise to the compiler: a comment above states why it holds.
///
/// A doc comment counts if it mentions threads, the loop, a lock, or `Sendable` itself.
enum SendableRule {
  static func findings(in file: SourceFile) -> [Finding] {
    guard file.isProduct else { return [] }
    return file.code.enumerated().compactMap { index, line in
      guard line.has("@unchecked Sendable") else { return nil }
      guard !hasReason(above: index, file) else { return nil }
      return file.finding(index, "@unchecked Sendable without a comment above that says why")
    }
  }

  private static func hasReason(above index: Int, _ file: SourceFile) -> Bool {
    let words = ["Sendable", "thread", "loop", "lock", "SAFETY:", "immutable"]
    var line = index - 1
    while line >= 0 {
      let text = file.lines[line].drop { $0 == " " }
      let isDocumentation = text.hasPrefix("///")
      guard text.hasPrefix("//") || text.hasPrefix("@") else { return false }
      if text.hasPrefix("//"), !isDocumentation { return true }
      if isDocumentation, words.contains(where: { String(text).has($0) }) { return true }
      line -= 1
    }
    return false
  }
}
