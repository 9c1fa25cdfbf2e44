import Domain
import Installation

/// The two invented accounts of the demo data. Their passwords are public, so they must never
/// contain anything of value. Their mail domain delivers nothing (RFC 2606).
enum DemoAccounts {
  static let person = DemoLogin(
    kind: DemoLogin.singleUser, email: "anna.bianchi@example.org", password: "demo-password-of-anna"
  )
  static let hospital = DemoLogin(
    kind: DemoLogin.thirdParty, email: "cuore@example.org", password: "demo-password-of-cuore")

  static let personRegistration = Registration(
    .singleUser,
    [
      ("email", person.email), ("password", person.password), ("fc", "BNCNNA85E55F205V"),
      ("full_name", "Anna Bianchi"), ("birthdate", "1985-05-15"), ("sex", "F"),
      ("residence", "Milano"), ("birth_place", "Milano"), ("nationality", "IT"),
      ("occupation", "employed"), ("address", "Via della Demo 1"),
    ])
  static let hospitalRegistration = Registration(
    .thirdParty,
    [
      ("email", hospital.email), ("password", hospital.password), ("piva", "12345670157"),
      ("company_name", "Ospedale del Cuore"),
      ("company_description", "A hospital that exists in this demo only."),
      ("sector", "Health"), ("legal_address", "Via della Demo 2, Milano"),
      ("coordinate", "45.4642,9.1900"),
    ])

  /// The content of the file from which the greeting reads the logins.
  static var logins: String {
    [person, hospital].map { "\($0.kind)\t\($0.email)\t\($0.password)\n" }.joined()
  }
}

extension DemoLogin {
  /// The body of a login that ends an open session.
  var request: [UInt8] {
    DemoJSON.object([("email", email), ("password", password)], replace: true)
  }
}
