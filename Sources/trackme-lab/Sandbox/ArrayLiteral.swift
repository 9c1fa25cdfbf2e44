import Bytes

/// Arrays in the text format of PostgreSQL, for parameters of `AdminSession`.
enum ArrayLiteral {
  /// Numbers, and other texts that need no quotes.
  static func plain(_ values: some Sequence<some CustomStringConvertible>) -> String {
    "{\(values.map(\.description).joined(separator: ","))}"
  }

  /// Texts; nil is NULL.
  static func texts(_ values: [String?]) -> String {
    let quoted = values.map { value in
      guard let value else { return "NULL" }
      let escaped = value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
      return "\"\(escaped)\""
    }
    return "{\(quoted.joined(separator: ","))}"
  }

  /// Byte strings.
  static func bytes(_ values: [[UInt8]]) -> String {
    "{\(values.map { #""\\x\#(Hexadecimal.encode($0.span))""# }.joined(separator: ","))}"
  }
}
