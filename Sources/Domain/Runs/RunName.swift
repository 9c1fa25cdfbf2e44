/// What a run or its place is called: one to 200 characters on one line, with at least one letter
/// or digit. Everybody reads it, so that nothing in it can turn or break what stands around it.
package struct RunName: Hashable, Sendable, CustomStringConvertible {
  /// The name.
  package let description: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// Reads a name, without the white space around it.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for line breaks and
  /// characters that are not seen or change the direction.
  package init(_ text: String) throws(NameError) {
    description = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}

/// What a run is about: one to 500 characters, on several lines if need be.
package struct RunDescription: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 500

  /// Reads a description, without the white space around it.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for anything but line
  /// breaks and tabs that is not seen or changes the direction.
  package init(_ text: String) throws(RunDescriptionError) {
    do throws(NameError) {
      description = try NameError.checkedLines(text, lengthMax: Self.lengthMax)
    } catch {
      throw RunDescriptionError(name: error)
    }
  }
}

/// Clauses of an organiser that runners accept on joining (RUN-16): one to 10,000 characters, on
/// several lines if need be.
package struct RunClauses: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 10_000

  /// Reads clauses, without the white space around them, by the rules of descriptions.
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

/// Why a text can't be the clauses of a run. Never holds the text.
package struct RunClausesError: DomainError {
  let name: NameError

  /// What is wrong, as a sentence.
  package var description: String {
    switch name {
    case .empty: "Clauses have at least one letter or digit, or are left out."
    case .tooLong: "Clauses have at most \(RunClauses.lengthMax) characters."
    case .controlCharacter: "Clauses have no control characters but line breaks and tabs."
    }
  }
}

extension NameError {
  /// The text of several lines without white space around it, once it passed the rules of names.
  static func checkedLines(
    _ text: String, lengthMax: Int
  ) throws(NameError) -> String {
    // Line breaks and tabs are white space; everything else is judged as in a name.
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

/// Why a text is no description of a run. Never holds the text.
package struct RunDescriptionError: DomainError {
  let name: NameError

  /// What is wrong, as a sentence.
  package var description: String {
    switch name {
    case .empty: "A description has at least one letter or digit, or is left out."
    case .tooLong: "A description has at most \(RunDescription.lengthMax) characters."
    case .controlCharacter: "A description has no control characters but line breaks and tabs."
    }
  }
}

/// What a runner is called in a run, as chosen for it: everybody who watches reads it.
///
/// One to 200 characters on one line; printing the value shows nothing, `text` does.
package struct RunnerName: Hashable, Sendable, Redacted {
  /// The name.
  package let text: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// What a result is shown under whose runner left without the name, or whose account is deleted.
  package static let ofDeletedRunners = "deleted runner"

  /// Reads a name, with the errors of `RunName`.
  package init(_ text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}
