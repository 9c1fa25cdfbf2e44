/// The text of a module as browsers receive it.
enum ModuleText {
  private static let lineFeed = UInt8(ascii: "\n")
  private static let blockOpening = Array("/*".utf8)
  private static let blockClosing = Array("*/".utf8)
  private static let lineComment = Array("//".utf8)

  /// Leaves out comments that have lines of their own, a quarter of the compressed modules. Their
  /// lines stay, without text, so that a message of the browser names the line of the source.
  ///
  /// No line of a template literal begins like a comment (`Tests/Web/comments.test.mjs`).
  static func withoutComments(_ module: [UInt8]) -> [UInt8] {
    var lines = module.split(separator: lineFeed, omittingEmptySubsequences: false)
    var index = 0
    while index < lines.count {
      let end = commentEnd(in: lines, from: index)
      for comment in index..<end { lines[comment] = [] }
      index = max(end, index + 1)
    }
    return Array(lines.joined(separator: [lineFeed]))
  }

  /// The line after a comment that begins with line `start` and shares no line with code; `start`
  /// if there is none.
  private static func commentEnd(in lines: [ArraySlice<UInt8>], from start: Int) -> Int {
    let text = withoutIndentation(lines[start])
    if text.starts(with: lineComment) { return start + 1 }
    guard text.starts(with: blockOpening),
      let last = lines[start...].firstIndex(where: { $0.contains(blockClosing) }),
      endsWithComment(lines[last])
    else { return start }
    return last + 1
  }

  /// Whether nothing follows the first end of a comment in a line.
  private static func endsWithComment(_ line: ArraySlice<UInt8>) -> Bool {
    guard let end = line.firstRange(of: blockClosing) else { return false }
    return withoutIndentation(line[end.upperBound...]).isEmpty
  }

  private static func withoutIndentation(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.drop { $0 == UInt8(ascii: " ") }
  }
}
