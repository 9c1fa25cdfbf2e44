import Domain
import HTTP
import JSON

// The forms of values in bodies about accounts.

extension JSONForm<EmailAddress> {
  /// An email address.
  static var email: Self {
    .parsed(.email) { (text) throws(EmailAddressError) in try EmailAddress(text) }
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
