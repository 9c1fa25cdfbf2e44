/// A single user's occupation, as written in the API.
package enum Occupation: String, Sendable, CaseIterable {
  case student, employed, selfEmployed = "self-employed", unemployed, retired, other
}

/// A third party's preferred method of payment.
package enum PaymentMethod: String, Sendable, CaseIterable {
  case card, transfer, paypal
}

/// A product that a third party declares it uses.
package enum ShownService: String, Sendable, CaseIterable {
  case automatedSOS = "AutomatedSOS"
  case track4Run = "Track4Run"
}

/// A document that an operator may publish, to which registrations then agree (ACC-2).
package enum LegalDocument: String, Sendable, CaseIterable {
  /// The privacy policy.
  case privacy
  /// The terms of use.
  case terms
  /// Liability for disclosing obtained data.
  case liability
  /// The jurisdiction.
  case jurisdiction

  /// Whether this kind of account agrees to the document: third parties to all, single users to the
  /// first two.
  package func concerns(_ kind: AccountKind) -> Bool {
    switch self {
    case .privacy, .terms: true
    case .liability, .jurisdiction: kind == .thirdParty
    }
  }
}

/// One line of a profile, such as an address: 1 to 200 characters.
///
/// Printing the value shows nothing, `text` does.
package struct ProfileLine: Hashable, Sendable, Redacted {
  /// The text, trimmed.
  package let text: String

  /// The largest number of characters (Unicode scalars).
  package static let lengthMax = 200

  /// Parses a line; throws `empty` without a letter or digit, `tooLong`, `controlCharacter`.
  package init(_ text: String) throws(ProfileLineError) {
    do throws(NameError) {
      self.text = try NameError.checked(text, lengthMax: Self.lengthMax)
    } catch {
      throw ProfileLineError(name: error)
    }
  }
}

/// The reason why a text is not a valid line of a profile. Never contains the text.
package struct ProfileLineError: DomainError {
  let name: NameError

  /// The error as a sentence.
  package var description: String {
    switch name {
    case .empty: "Write at least one letter or digit, or null for nothing."
    case .tooLong: "Write at most \(ProfileLine.lengthMax) characters."
    case .controlCharacter: "Write on one line, without control characters."
    }
  }
}
