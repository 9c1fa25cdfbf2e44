/// The name of a person: one to 200 characters on one line, with at least one letter.
///
/// White space around it is dropped. Printing the value shows nothing, `text` does.
package struct FullName: Hashable, Sendable, Redacted {
  /// The name.
  package let text: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// A name without regard to case, accents, spaces, punctuation and look-alike letters: what names
  /// of people are compared by, as those of companies are.
  package static func searchText(of name: String) -> String { CompanyName.searchText(of: name) }

  /// Reads a name.
  ///
  /// Throws `empty` without a letter, `tooLong` over 200 characters, `controlCharacter` for line
  /// breaks and other characters that cannot be seen.
  package init(_ text: String) throws(NameError) {
    self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
  }
}

/// Why a text is no name of a person or company. Never holds the text.
package enum NameError: DomainError {
  /// No letter or digit in it.
  case empty
  /// More characters than allowed.
  case tooLong
  /// A line break or another control or direction character.
  case controlCharacter

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .empty: "A name has at least one letter."
    case .tooLong: "A name has at most 200 characters."
    case .controlCharacter: "A name is one line without control characters."
    }
  }

  /// Whether a character may be in a text of one line that others read: one that is seen, and
  /// changes neither the line nor the direction of what is beside it.
  package static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse,
      .unassigned:
      // The two joiners belong to names in several scripts, and to emoji.
      scalar == "\u{200C}" || scalar == "\u{200D}"
    default: true
    }
  }

  /// The text without white space around it, once it passed the rules of names.
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
