// What payloads ask of their fields beside the syntax.

extension JSONReader {
  /// A field that the object read last must have.
  ///
  /// - Throws: the error that names it where there is none.
  package func mandatory<Value>(_ name: String, _ value: Value?) throws(JSONError) -> Value {
    guard let value else { throw missing(name) }
    return value
  }

  /// A text of so many characters for people to read: not only space, and no control characters.
  package mutating func string(of lengths: ClosedRange<Int>) throws(JSONError) -> String {
    let text = try string()
    guard lengths.contains(text.unicodeScalars.count), !text.allSatisfy(\.isWhitespace) else {
      throw refusal(
        "Write \(lengths.lowerBound) to \(lengths.upperBound) characters, not only spaces.")
    }
    guard text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw refusal("Leave out control characters, as line breaks and tabs.")
    }
    return text
  }
}
