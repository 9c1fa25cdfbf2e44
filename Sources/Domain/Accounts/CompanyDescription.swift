/// What a company says of itself: one to 500 characters, on several lines if need be. People whom
/// the company asks read it, so it has no characters that change the direction of text around it.
package struct CompanyDescription: Hashable, Sendable, CustomStringConvertible {
  /// The text.
  package let description: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 500

  /// Reads a description, without the white space around it.
  ///
  /// Throws `empty` without a letter or digit, `tooLong`, `controlCharacter` for anything but line
  /// breaks and tabs that is not seen or changes the direction.
  package init(_ text: String) throws(CompanyDescriptionError) {
    do throws(NameError) {
      description = try NameError.checkedLines(text, lengthMax: Self.lengthMax)
    } catch {
      throw CompanyDescriptionError(name: error)
    }
  }
}

/// Why a text is no description of a company. Never holds the text.
package struct CompanyDescriptionError: DomainError {
  let name: NameError

  /// What is wrong, as a sentence.
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
