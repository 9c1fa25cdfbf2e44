/// A person's name: one to 200 characters on one line, with at least one letter.
///
/// Surrounding white space is trimmed. Printing the value shows nothing, `text` does.
package struct FullName: Hashable, Sendable, Redacted {
  /// The name.
  package let text: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// A name without case, accents, spaces, punctuation and look-alike letters, for comparing
  /// people's names in the same way as those of companies.
  package static func searchText(of name: String) -> String { CompanyName.searchText(of: name) }

  /// Parses a name.
  ///
  /// Throws `empty` without a letter, `tooLong` over 200 characters, `controlCharacter` for line
  /// breaks and other invisible characters.
  package init(_ text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}

/// The reason why a text is not a valid name of a person or company. Never contains the text.
package enum NameError: DomainError {
  /// It has no letter or digit.
  case empty
  /// More characters than allowed.
  case tooLong
  /// A line break or another control or direction character.
  case controlCharacter

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .empty: "A name has at least one letter."
    case .tooLong: "A name has at most 200 characters."
    case .controlCharacter: "A name is one line without control characters."
    }
  }

  /// Whether a character is allowed in a displayed one-line text: visible, and changing neither the
  /// line nor the direction of surrounding text.
  package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      // The two joiners are part of names in several scripts, and of emoji.
      scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  /// The text without surrounding white space, after checking the rules of names.
  static func checked(_ text: String, lengthMax: Int) throws(NameError) -> String {
    guard text.utf8.count <= 16 * lengthMax else { throw .tooLong }
    let scalars = text.unicodeScalars
    guard scalars.allSatisfy(isAllowed) else { throw .controlCharacter }
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace }),
      scalars.contains(where: FoldedLetters.isLetter)
    else { throw .empty }
    let trimmed = scalars[first...last]
    guard trimmed.count <= lengthMax else { throw .tooLong }
    return String(trimmed)
  }
}
