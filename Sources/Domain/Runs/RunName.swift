/// The name of a run or of its place: one to 200 characters on one line, with at least one letter
/// or digit. It is public, so nothing in it may change the direction or lines of surrounding text.
package struct RunName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let description: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// Parses a name and trims it.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for line breaks and
  /// characters that are invisible or change the direction.
  package init(_ text: String) throws(NameError) {
    description = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}

/// The description of a run: one to 500 characters, possibly on several lines.
package struct RunDescription: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 500

  /// Parses a description and trims it.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for invisible
  /// characters other than line breaks and tabs, and for those that change the direction.
  package init(_ text: String) throws(RunDescriptionError) {
    do throws(NameError) {
      description = try NameError.checkedLines(text, lengthMax: Self.lengthMax)
    } catch {
      throw RunDescriptionError(name: error)
    }
  }
}

/// An organiser's clauses, which runners accept on joining (RUN-16): one to 10,000 characters,
/// possibly on several lines.
package struct RunClauses: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 10_000

  /// Parses clauses and trims them, by the rules of descriptions.
  ///
  /// Throws `empty`, `tooLong` and `controlCharacter` as `RunDescription` does.
  package init(_ text: String) throws(RunClausesError) {
    do throws(NameError) {
      description = try NameError.checkedLines(text, lengthMax: Self.lengthMax)
    } catch {
      throw RunClausesError(name: error)
    }
  }
}

/// The reason why a text is not valid as the clauses of a run. Never contains the text.
package struct RunClausesError: DomainError {
  let name: NameError

  /// The error as a sentence.
  package var description: String {
    switch name {
    case .empty: "Clauses have at least one letter or digit, or are left out."
    case .tooLong: "Clauses have at most \(RunClauses.lengthMax) characters."
    case .controlCharacter: "Clauses have no control characters but line breaks and tabs."
    }
  }
}

extension NameError {
  /// A trimmed text of several lines that follows the rules of names.
  static func checkedLines(
    _ text: String, lengthMax: Int
  ) throws(NameError) -> String {
    // Line breaks and tabs are white space; everything else is checked as in a name.
    let line = String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { "\n\r\t".unicodeScalars.contains($0) ? " " : $0 }))
    let checked = try checked(line, lengthMax: lengthMax)
    let skipped = line.unicodeScalars.prefix { $0.properties.isWhitespace }.count
    return String(
      String.UnicodeScalarView(
        text.unicodeScalars.dropFirst(skipped).prefix(checked.unicodeScalars.count)))
  }
}

/// The reason why a text is not a valid description of a run. Never contains the text.
package struct RunDescriptionError: DomainError {
  let name: NameError

  /// The error as a sentence.
  package var description: String {
    switch name {
    case .empty: "A description has at least one letter or digit, or is left out."
    case .tooLong: "A description has at most \(RunDescription.lengthMax) characters."
    case .controlCharacter: "A description has no control characters but line breaks and tabs."
    }
  }
}

/// The name that a runner chose for a run, visible to all spectators.
///
/// One to 200 characters on one line; printing the value shows nothing, `text` does.
package struct RunnerName: Hashable, Sendable, Redacted {
  /// The name.
  package let text: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// The name shown in results of runners who withdrew their name, and of deleted accounts.
  package static let ofDeletedRunners = "deleted runner"

  /// Parses a name, with the errors of `RunName`.
  package init(_ text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}
