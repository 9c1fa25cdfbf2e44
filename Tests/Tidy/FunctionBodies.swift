/// Finds the bodies of functions, initialisers, subscripts, computed properties and closures stored
/// in a constant, in masked code.
///
/// This is a heuristic, not a parser: it counts braces in code whose comments and strings are
/// blanked.
struct FunctionBodies {
  struct Body {
    var name: String
    /// The index of the line with the keyword.
    var declaration: Int
    /// The indices of the lines with the opening and the closing brace.
    var open: Int
    var close: Int
    /// The number of lines between the braces.
    var lineCount: Int { max(0, close - open - 1) }
  }

  static func bodies(in code: [String]) -> [Body] {
    let keyword = /\b(?:func\s+([^\s(<]+)|(init)[?!]?\s*[(<]|(deinit)\b|(subscript)\s*[(<])/
    let closure = /= \{(?:[^}]*\bin)?\s*$/
    let property = /^\s*(?:[@\w()]+\s+)*var\s+(\w+)\s*:[^={]*\{\s*$/
    var bodies: [Body] = []
    for (index, line) in code.enumerated() {
      let mayDeclare = ["func ", "init", "subscript"].contains { line.has($0) }
      if mayDeclare, let match = line.firstMatch(of: keyword),
        isDeclaration(line, match.range.lowerBound)
      {
        let name = match.1 ?? match.2 ?? match.3 ?? match.4 ?? "function"
        let start = line.utf8.distance(
          from: line.startIndex, to: match.range.lowerBound)
        append(String(name), index, start, code, &bodies)
      } else if line.has("var "), let match = line.firstMatch(of: property) {
        append(String(match.1), index, 0, code, &bodies)
      } else if line.has("= {"), let match = line.firstMatch(of: closure) {
        let column = line.utf8.distance(from: line.startIndex, to: match.range.lowerBound)
        append("a closure", index, column, code, &bodies)
      }
    }
    return bodies
  }

  /// `init(` is a declaration, except in a call: `.init(`, `super.init(`, `= init(`. `import func`
  /// declares nothing.
  private static func isDeclaration(_ line: String, _ start: String.Index) -> Bool {
    let before = line[..<start]
    guard before.last != ".", !before.hasPrefix("import ") else { return false }
    return before.allSatisfy { $0.isLetter || $0.isWhitespace || "@()_<>:.,~&".contains($0) }
  }

  private static func append(
    _ name: String, _ line: Int, _ column: Int, _ code: [String], _ bodies: inout [Body]
  ) {
    guard let open = openingBrace(line, column, code) else { return }
    guard let close = closingBrace(open, code) else { return }
    bodies.append(Body(name: name, declaration: line, open: open.line, close: close))
  }

  private typealias Position = (line: Int, column: Int)

  /// The opening brace of the body; nil for a protocol requirement, which ends at the next
  /// declaration.
  private static func openingBrace(_ line: Int, _ column: Int, _ code: [String]) -> Position? {
    let next = /^\s*(?:[@}#]|(?:\w+\s+)*(?:func|var|let|init|case|subscript|associatedtype)\b)/
    var depth = 0
    for index in line..<min(line + 40, code.count) {
      if index > line, depth == 0, code[index].firstMatch(of: next) != nil { return nil }
      for (offset, character) in code[index].utf8.enumerated()
      where index > line || offset >= column {
        switch character {
        case UInt8(ascii: "("), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: ")"), UInt8(ascii: "]"): depth -= 1
        case UInt8(ascii: "{") where depth == 0: return (index, offset)
        case UInt8(ascii: "}") where depth == 0: return nil
        default: break
        }
      }
    }
    return nil
  }

  private static func closingBrace(_ open: Position, _ code: [String]) -> Int? {
    var depth = 0
    for index in open.line..<code.count {
      for (offset, character) in code[index].utf8.enumerated()
      where index > open.line || offset >= open.column {
        if character == UInt8(ascii: "{") { depth += 1 }
        if character == UInt8(ascii: "}") { depth -= 1 }
        if depth == 0 { return index }
      }
    }
    return nil
  }
}
