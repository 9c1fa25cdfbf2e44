import Domain
import JSON

// The forms of texts and names in bodies of Data4Help.

extension JSONForm where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
  /// One of the names of an enumeration.
  static var enumCase: Self {
    .enumCase("Use one of \(Value.allCases.map(\.rawValue).joined(separator: ", ")).")
  }

  /// One of the names of an enumeration, with the sentence of the refusal of others.
  static func enumCase(_ sentence: String) -> Self {
    Self(.oneOf(Value.allCases.map(\.rawValue))) { (reader) throws(JSONError) in
      guard let value = Value(rawValue: try reader.string()) else {
        throw reader.refusal(sentence)
      }
      return value
    }
  }
}

extension JSONForm<String> {
  /// A text of any length within the reader's limits.
  static var text: Self { Self(.text) }

  /// A UUID as text, which its service parses.
  static var uuid: Self { Self(.uuid) }

  /// A text of 1 to 100 characters for display, on one line: not blank, and only with the
  /// characters that names may have.
  static var line: Self {
    let lengths = 1...100
    let schema = JSONSchema.string(lengthMin: lengths.lowerBound, lengthMax: lengths.upperBound)
    return Self(schema) { (reader) throws(JSONError) in
      let text = try reader.string()
      guard lengths.contains(text.unicodeScalars.count), !text.allSatisfy(\.isWhitespace) else {
        throw reader.refusal(
          "Write \(lengths.lowerBound) to \(lengths.upperBound) characters, not only spaces.")
      }
      guard text.unicodeScalars.allSatisfy(NameError.isAllowed) else {
        throw reader.refusal(
          "Write one line, without control characters as line breaks and tabs, characters that "
            + "change the direction of the text, and characters that are not seen.")
      }
      return text
    }
  }
}

extension JSONForm {
  /// An array of elements with different keys, with the sentence of the refusal of others.
  func distinct<Element, Key: Hashable & Sendable>(
    _ sentence: String, by key: @escaping @Sendable (Element) -> Key
  ) -> Self where Value == [Element] {
    Self(schema) { (reader) throws(JSONError) in
      let elements = try read(&reader)
      guard Set(elements.map(key)).count == elements.count else { throw reader.refusal(sentence) }
      return elements
    }
  }
}
