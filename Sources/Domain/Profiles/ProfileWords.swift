/// What a single user does for a living, as the API writes it.
package enum Occupation: String, Sendable, CaseIterable {
  case student, employed, selfEmployed = "self-employed", unemployed, retired, other
}

/// How a third party prefers to pay.
package enum PaymentMethod: String, Sendable, CaseIterable {
  case card, transfer, paypal
}

/// A product that a third party shows it uses.
package enum ShownService: String, Sendable, CaseIterable {
  case automatedSOS = "AutomatedSOS"
  case track4Run = "Track4Run"
}

/// A document that an operator may publish and that registrations then agree to (ACC-2).
package enum LegalDocument: String, Sendable, CaseIterable {
  /// The privacy policy.
  case privacy
  /// The terms of use.
  case terms
  /// Liability for disclosing data that was obtained.
  case liability
  /// The jurisdiction.
  case jurisdiction

  /// Whether this kind of account agrees to it: third parties to all, single users to the first
  /// two.
  package func concerns(_ kind: AccountKind) -> Bool {
    switch self {
    case .privacy, .terms: true
    case .liability, .jurisdiction: kind == .thirdParty
    }
  }
}

/// What a profile says on one line, as an address: 1 to 200 characters.
///
/// Printing the value shows nothing, `text` does.
package struct ProfileLine: Hashable, Sendable, Redacted {
  /// The text without white space around it.
  package let text: String

  /// Greatest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// Reads a line; throws `empty` without a letter or digit, `tooLong`, `controlCharacter`.
  package init(_ text: String) throws(ProfileLineError) {
    do throws(NameError) {
      self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
    } catch {
      throw ProfileLineError(name: error)
    }
  }
}

/// Why a text is no line of a profile. Never holds the text.
package struct ProfileLineError: DomainError {
  let name: NameError

  /// What is wrong, as a sentence.
  package var description: String {
    switch name {
    case .empty: "Write at least one letter or digit, or null for nothing."
    case .tooLong: "At most \(ProfileLine.lengthMax) characters have room here."
    case .controlCharacter: "Write on one line, without control characters."
    }
  }
}
