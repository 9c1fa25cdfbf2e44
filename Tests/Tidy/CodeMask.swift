/// Blanks the non-code parts of a Swift source: comments and the contents of string literals.
///
/// Interpolated expressions remain, because they are code. Lines keep their number and, for ASCII,
/// their columns. Works on bytes for speed, because every file of the tree is processed.
struct CodeMask {
  private enum Context: Equatable {
    case code(parentheses: Int)
    case string(pounds: Int, multiline: Bool)
  }

  private static let newline = UInt8(ascii: "\n")

  private let input: [UInt8]
  private var output: [UInt8] = []
  private var position = 0
  private var contexts: [Context] = [.code(parentheses: 0)]

  static func masked(_ text: String) -> String {
    var mask = CodeMask(input: Array(text.utf8))
    mask.run()
    return String(decoding: mask.output, as: UTF8.self)
  }

  private init(input: [UInt8]) {
    self.input = input
    output.reserveCapacity(input.count)
  }

  private mutating func run() {
    while position < input.count {
      switch contexts[contexts.count - 1] {
      case .code(let parentheses): code(parentheses)
      case .string(let pounds, let multiline): string(pounds, multiline)
      }
    }
  }

  private func starts(with prefix: String) -> Bool {
    input[position...].starts(with: prefix.utf8)
  }

  private mutating func keep(_ count: Int = 1) {
    output += input[position..<position + count]
    position += count
  }

  private mutating func blank(_ count: Int = 1) {
    for byte in input[position..<min(position + count, input.count)] {
      output.append(byte == Self.newline ? byte : UInt8(ascii: " "))
    }
    position += count
  }

  private mutating func code(_ parentheses: Int) {
    let byte = input[position]
    if byte == UInt8(ascii: "/") {
      if starts(with: "//") { return lineComment() }
      if starts(with: "/*") { return blockComment() }
      if let length = regularExpression() {
        keep()
        blank(length)
        return keep()
      }
    }
    if byte == UInt8(ascii: "#") || byte == UInt8(ascii: "\""),
      let (pounds, multiline) = openingQuote()
    {
      keep(pounds + (multiline ? 3 : 1))
      contexts.append(.string(pounds: pounds, multiline: multiline))
      return
    }
    let isInterpolation = contexts.count > 1
    if isInterpolation, byte == UInt8(ascii: "(") {
      contexts[contexts.count - 1] = .code(parentheses: parentheses + 1)
    } else if isInterpolation, byte == UInt8(ascii: ")") {
      contexts[contexts.count - 1] = .code(parentheses: parentheses - 1)
      if parentheses == 1 { contexts.removeLast() }
    }
    keep()
  }

  /// The length between the slashes of a `/…/` literal. Such a literal follows a space or an
  /// opening bracket, does not begin with a space, and ends on its line; a division has spaces on
  /// both sides.
  private func regularExpression() -> Int? {
    let before = position > 0 ? input[position - 1] : UInt8(ascii: " ")
    guard " (,:[".utf8.contains(before), position + 1 < input.count,
      input[position + 1] != UInt8(ascii: " ")
    else { return nil }
    var end = position + 1
    while end < input.count, input[end] != Self.newline {
      if input[end] == UInt8(ascii: "/") { return end - position - 1 }
      end += input[end] == UInt8(ascii: "\\") ? 2 : 1
    }
    return nil
  }

  private func openingQuote() -> (pounds: Int, multiline: Bool)? {
    var pounds = 0
    while position + pounds < input.count, input[position + pounds] == UInt8(ascii: "#") {
      pounds += 1
    }
    guard position + pounds < input.count, input[position + pounds] == UInt8(ascii: "\"") else {
      return nil
    }
    return (pounds, starts(with: String(repeating: "#", count: pounds) + "\"\"\""))
  }

  private mutating func string(_ pounds: Int, _ multiline: Bool) {
    let byte = input[position]
    guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { return blank() }
    let hashes = String(repeating: "#", count: pounds)
    let closing = (multiline ? "\"\"\"" : "\"") + hashes
    if starts(with: closing) {
      keep(closing.count)
      contexts.removeLast()
    } else if starts(with: "\\" + hashes + "(") {
      blank(1 + pounds)
      keep()
      contexts.append(.code(parentheses: 1))
    } else if starts(with: "\\" + hashes) {
      blank(2 + pounds)
    } else {
      blank()
    }
  }

  private mutating func lineComment() {
    while position < input.count, input[position] != Self.newline { blank() }
  }

  private mutating func blockComment() {
    var depth = 0
    repeat {
      if starts(with: "/*") {
        depth += 1
        blank(2)
      } else if starts(with: "*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && position < input.count
  }
}
