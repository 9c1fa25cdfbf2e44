import Domain
import HTTP
import JSON
import Services

/// Somebody who wants an account, with everything checked that can be checked without asking who
/// else has one.
struct Registrant: Sendable {
  /// What makes each kind of account unique besides the email, and what its profile begins with.
  enum Claim: Sendable {
    case person(FiscalCode, BirthDate, Sex, SingleUserProfile)
    case company(VATNumber, CompanyName, ThirdPartyProfile)
  }

  let email: EmailAddress
  let password: Password
  let claim: Claim
  /// Who has to confirm too (ACC-13).
  let parentEmail: EmailAddress?
  let consents: [ConsentEntry]
  let locale: StoredLocale

  var kind: AccountKind {
    switch claim {
    case .person: .singleUser
    case .company: .thirdParty
    }
  }

  static func email(_ text: String) throws(ApplicationError) -> EmailAddress {
    try checked("email") { () throws(EmailAddressError) in try EmailAddress(text) }
  }

  static func password(_ text: String) throws(ApplicationError) -> Password {
    try checked("password") { () throws(PasswordError) in try Password(text) }
  }
}
