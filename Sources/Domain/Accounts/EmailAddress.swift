/// An email address in lower case, which identifies an account (R4).
///
/// The subset of RFC 5321 used in practice: a dot-atom of at most 64 ASCII characters, `@`, and a
/// host name of at least two labels; at most 254 characters in total. Quoted local parts, address
/// literals and anything that needs SMTPUTF8 are rejected. Printing the value shows nothing, `text`
/// does.
package struct EmailAddress: Hashable, Sendable, Redacted {
  /// The address in lower case.
  package let text: String

  /// The largest length of the whole address (RFC 5321 section 4.5.3.1.3 less the angle brackets).
  package static let lengthMax = 254

  /// Parses an address and converts it to lower case.
  ///
  /// Throws `tooLong` over 254 characters, `malformed` for any other invalid address.
  package init(utf8: Span<UInt8>) throws(EmailAddressError) {
    guard utf8.count <= Self.lengthMax else { throw .tooLong }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(utf8.count)
    for index in utf8.indices { bytes.append(utf8[index].lowercased) }
    guard let at = bytes.firstIndex(of: ascii("@")), Self.isLocalPart(bytes[..<at]),
      Self.isDomain(bytes[(at + 1)...])
    else { throw .malformed }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// Parses an address, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(EmailAddressError) {
    try self.init(utf8: text.utf8Span.span)
  }

  private static func isLocalPart(_ bytes: ArraySlice<UInt8>) -> Bool {
    guard (1...64).contains(bytes.count) else { return false }
    return bytes.split(separator: ascii("."), omittingEmptySubsequences: false)
      .allSatisfy { atom in
        !atom.isEmpty
          && atom.allSatisfy { $0.isLetter || $0.isDigit || specials.contains($0) }
      }
  }

  private static func isDomain(_ bytes: ArraySlice<UInt8>) -> Bool {
    let labels = bytes.split(separator: ascii("."), omittingEmptySubsequences: false)
    guard labels.count >= 2, let top = labels.last, top.contains(where: \.isLetter)
    else { return false }
    return labels.allSatisfy { label in
      (1...63).contains(label.count) && label.first != ascii("-") && label.last != ascii("-")
        && label.allSatisfy { $0.isLetter || $0.isDigit || $0 == ascii("-") }
    }
  }

  /// The characters of an atom besides letters and digits (RFC 5322 section 3.2.3).
  private static let specials = Array("!#$%&'*+-/=?^_`{|}~".utf8)
}

/// The reason why a text is not a valid email address. Never contains the text.
package enum EmailAddressError: DomainError {
  /// Not a local part, `@` and a host name.
  case malformed
  /// More than 254 characters.
  case tooLong

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed: "An email address is written name@example.org."
    case .tooLong: "An email address has at most 254 characters."
    }
  }
}
