/// A new password that meets the policy (R4), before it is hashed.
///
/// 8 to 128 characters (Unicode scalars) of any kind, except the most common passwords. Only a new
/// password is parsed: one typed at login is compared unchanged. Printing the value shows nothing,
/// `text` does.
package struct Password: Sendable, Redacted {
  /// The password in clear.
  package let text: String

  /// The smallest and largest number of characters.
  package static let lengths = 8...128

  /// Checks a new password.
  ///
  /// Throws `tooShort` under 8 characters, `tooLong` over 128, `tooCommon` for one of the known bad
  /// ones in any case, a single character repeated, or a run of the alphabet or the digits.
  package init(_ text: String) throws(PasswordError) {
    let length = text.utf8.count <= 4 * Self.lengths.upperBound ? text.unicodeScalars.count : .max
    guard length >= Self.lengths.lowerBound else { throw .tooShort }
    guard length <= Self.lengths.upperBound else { throw .tooLong }
    let folded = text.lowercased()
    guard !knownBadPasswords.contains(folded), !Self.isRun(folded) else { throw .tooCommon }
    self.text = text
  }

  /// Whether each character differs from the previous one by the same step of -1, 0 or 1.
  private static func isRun(_ text: String) -> Bool {
    let values = text.unicodeScalars.map { Int($0.value) }
    let step = values[1] - values[0]
    guard (-1...1).contains(step) else { return false }
    return zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step }
  }
}

/// The reason why a text is not a valid password. Never contains the text.
package enum PasswordError: DomainError {
  /// Fewer than 8 characters.
  case tooShort
  /// More than 128 characters.
  case tooLong
  /// One of the most common passwords.
  case tooCommon

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .tooShort: "A password has at least 8 characters."
    case .tooLong: "A password has at most 128 characters."
    case .tooCommon: "This password is too common: choose another one."
    }
  }
}
