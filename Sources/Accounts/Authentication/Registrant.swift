import Domain
import JSON
import PublicAPI
import ServiceKit

/// A person or company that registers, with everything validated that does not depend on other
/// accounts.
struct Registrant: Sendable {
  /// The identifiers of each kind of account besides the email, and the start of its profile.
  enum Claim: Sendable {
    case person(FiscalCode, BirthDate, Sex, SingleUserProfile)
    case company(VATNumber, CompanyName, ThirdPartyProfile)
  }

  let email: EmailAddress
  let password: Password
  let claim: Claim
  /// The parent who must confirm too (ACC-13).
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
}
