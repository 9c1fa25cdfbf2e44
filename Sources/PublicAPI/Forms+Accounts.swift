import Domain
import JSON

// The forms of values in bodies about accounts.

extension JSONForm<EmailAddress> {
  /// An email address.
  static var email: Self {
    .parsed(.email) { (text) throws(EmailAddressError) in try EmailAddress(text) }
  }
}

extension JSONForm<Password> {
  /// A new password, which must meet the policy.
  static var newPassword: Self {
    .parsed(.password) { (text) throws(PasswordError) in try Password(text) }
  }
}

extension JSONForm<String> {
  /// The password of an account, which may be older than the policy.
  static var password: Self {
    let lengths = 1...Password.lengths.upperBound
    return Self(.string(lengthMax: lengths.upperBound)) { (reader) throws(JSONError) in
      let text = try reader.string()
      guard lengths.contains(text.unicodeScalars.count) else {
        throw reader.refusal(
          "A password has \(lengths.lowerBound) to \(lengths.upperBound) characters.")
      }
      return text
    }
  }
}

extension JSONForm<FiscalCode> {
  /// A fiscal code.
  static var fiscalCode: Self {
    .parsed(.fiscalCode) { (text) throws(FiscalCodeError) in try FiscalCode(text) }
  }
}

extension JSONForm<VATNumber> {
  /// A P.IVA of a known account.
  static var knownVATNumber: Self {
    .parsed(.text) { (text) throws(VATNumberError) in try VATNumber(text) }
  }
}

extension JSONForm<FullName> {
  /// A person's name.
  static var fullName: Self {
    .parsed(.string(lengthMax: FullName.lengthMax)) { (text) throws(NameError) in
      try FullName(text)
    }
  }
}

extension JSONForm<PhoneNumber> {
  /// A telephone number.
  static var phone: Self {
    .parsed(.string(lengthMax: 64)) { (text) throws(PhoneNumberError) in try PhoneNumber(text) }
  }
}
