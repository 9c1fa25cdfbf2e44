/// A password that meets the policy (R4), on its way to being hashed.
///
/// 8 to 128 characters (Unicode scalars) of any kind, and none of those everybody tries first.
/// Only a new password is parsed: one typed at login is compared as it is. Printing the value shows
/// nothing, `text` does.
package struct Password: Sendable, Redacted {
  /// The password in clear.
  package let text: String

  /// Least and greatest number of characters.
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

  /// Whether all characters differ from the one before by the same step of -1, 0 or 1.
  private static func isRun(_ text: String) -> Bool {
    let values = text.unicodeScalars.map { Int($0.value) }
    let step = values[1] - values[0]
    guard (-1...1).contains(step) else { return false }
    return zip(values, values.dropFirst()).allSatisfy { $1 - $0 == step }
  }
}

/// Why a text can be no password. Never holds the text.
package enum PasswordError: DomainError {
  /// Fewer than 8 characters.
  case tooShort
  /// More than 128 characters.
  case tooLong
  /// Among those that are tried first.
  case tooCommon

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .tooShort: "A password has at least 8 characters."
    case .tooLong: "A password has at most 128 characters."
    case .tooCommon: "This password is among the first that anybody would try."
    }
  }
}
