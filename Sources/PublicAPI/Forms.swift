import Domain
import HTTP
import JSON

// The forms of values that several documents have.

extension JSONForm {
  /// A text that the domain parses; the sentence of its error becomes that of the refusal.
  static func parsed<Failure: DomainError>(
    _ schema: JSONSchema, _ parse: @escaping @Sendable (String) throws(Failure) -> Value
  ) -> Self {
    Self(schema) { (reader) throws(JSONError) in
      let text = try reader.string()
      do throws(Failure) { return try parse(text) } catch {
        throw reader.refusal(error.description)
      }
    }
  }

  /// A changed text of at most `lengthMax` characters that the domain parses; an empty text removes
  /// the value.
  static func remark<Content, Failure: DomainError>(
    lengthMax: Int, _ parse: @escaping @Sendable (String) throws(Failure) -> Content
  ) -> Self where Value == RunChanges.Remark<Content> {
    Self(.string(lengthMin: 0, lengthMax: lengthMax)) { (reader) throws(JSONError) in
      let text = try reader.string()
      if text.isEmpty { return .removed }
      do throws(Failure) { return .replaced(try parse(text)) } catch {
        throw reader.refusal(error.description)
      }
    }
  }
}

extension JSONForm<Int32> {
  /// A whole number from 1.
  static var positive: Self {
    Self(.integer(1...Int(Int32.max))) { (reader) throws(JSONError) in
      let number = try reader.integer()
      guard let number = Int32(exactly: number), number > 0 else {
        throw reader.refusal("Give a whole number from 1 to \(Int32.max).")
      }
      return number
    }
  }
}

extension JSONForm<Int64> {
  /// The number of a run, as a number or a string of digits.
  package static var runIdentifier: Self {
    Self(.runIdentifier) { (reader) throws(JSONError) in
      let number = try reader.scalarBytes { (_, text) in
        let digits = String(copying: text)
        return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(digits) : nil
      }
      guard let number, number > 0 else { throw reader.refusal("Give the number of a run.") }
      return number
    }
  }
}

extension JSONForm<RunnerName> {
  /// A runner's name in a run.
  static var runnerName: Self {
    .parsed(.string(lengthMax: 200)) { (text) throws(NameError) in try RunnerName(text) }
  }
}

extension JSONForm<RunChanges.Remark<RunnerName>> {
  /// A changed name in a run.
  static var changedRunnerName: Self {
    .remark(lengthMax: 200) { (text) throws(NameError) in try RunnerName(text) }
  }
}

extension JSONReader {
  /// Reads a text of `lengths` characters for display, on one line: not blank, and only with the
  /// characters that names may have.
  package mutating func string(of lengths: ClosedRange<Int>) throws(JSONError) -> String {
    let text = try string()
    guard lengths.contains(text.unicodeScalars.count), !text.allSatisfy(\.isWhitespace) else {
      throw refusal(
        "Write \(lengths.lowerBound) to \(lengths.upperBound) characters, not only spaces.")
    }
    guard text.unicodeScalars.allSatisfy(NameError.isAllowed) else {
      throw refusal(
        "Write one line without control characters (such as line breaks and tabs), invisible "
          + "characters, and characters that change the direction of the text.")
    }
    return text
  }
}
