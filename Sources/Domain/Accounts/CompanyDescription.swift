/// A company's description of itself: one to 500 characters, possibly on several lines. It is shown
/// to people whose data the company requests, so it has no characters that change the direction of
/// surrounding text.
package struct CompanyDescription: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 500

  /// Parses a description and trims surrounding white space.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for invisible
  /// characters other than line breaks and tabs, and for those that change the direction.
  package init(_ text: String) throws(CompanyDescriptionError) {
    do throws(NameError) {
      description = try NameError.checkedLines(text, lengthMax: Self.lengthMax)
    } catch {
      throw CompanyDescriptionError(name: error)
    }
  }
}

/// The reason why a text is not a valid description. Never contains the text.
package struct CompanyDescriptionError: DomainError {
  let name: NameError

  /// The error as a sentence.
  package var description: String {
    switch name {
    case .empty: "A company's description has at least one letter or digit."
    case .tooLong:
      "A company's description has at most \(CompanyDescription.lengthMax) characters."
    case .controlCharacter:
      "Leave control and direction characters out of the description; line breaks are allowed."
    }
  }
}
