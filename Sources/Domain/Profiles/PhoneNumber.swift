/// A telephone number: 5 to 15 digits (ITU-T E.164), with a leading `+` if international.
///
/// Printing the value shows nothing, `text` does.
package struct PhoneNumber: Hashable, Sendable, Redacted {
  /// The digits, with the plus sign if there was one.
  package let text: String

  /// Parses a number with spaces, dots, hyphens, slashes or brackets between its digits.
  ///
  /// Throws `malformed` for any other character or number of digits.
  package init(_ text: String) throws(PhoneNumberError) {
    var kept: [UInt8] = []
    guard text.utf8.count <= 64 else { throw .malformed }
    for byte in text.utf8 {
      if byte.isDigit || (byte == ascii("+") && kept.isEmpty) {
        kept.append(byte)
      } else if !Self.separators.contains(byte) {
        throw .malformed
      }
    }
    let digits = kept.first == ascii("+") ? kept.count - 1 : kept.count
    guard (5...15).contains(digits) else { throw .malformed }
    self.text = String(decoding: kept, as: UTF8.self)
  }

  private static let separators = Array(" .-/()".utf8)
}

/// The reason why a text is not a valid telephone number. Never contains the text.
package enum PhoneNumberError: DomainError {
  /// Not 5 to 15 digits.
  case malformed

  /// The error as a sentence.
  package var description: String {
    "A telephone number has 5 to 15 digits, such as +39 02 1234567."
  }
}
