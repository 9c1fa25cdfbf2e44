import Domain
import Installation

/// The companies of the town. Their passwords are public, and their mail domain delivers nothing
/// (RFC 2606).
enum SandboxParties {
  /// The password of every account of the town.
  static let password = "password-of-the-sandbox"

  /// The developers' company, which gets the API key.
  static let company = party(
    "sandbox-company@example.org", vat: 900, "Lodi Health Lab",
    "Studies of the health of a town that is invented.", sector: "Research")
  /// The hospital, approved and on duty.
  static let hospital = party(
    "sandbox-hospital@example.org", vat: 901, "Ospedale di Lodi (sandbox)",
    "A hospital that exists in the sandbox only.", sector: "Health", at: hospitalPosition)
  /// The organiser of the weekly run.
  static let club = party(
    "sandbox-club@example.org", vat: 902, clubName, "Organises the weekly run along the Adda.",
    sector: "Sport")

  static let clubName = "Podistica Adda"
  /// Where the hospital waits for calls.
  static let hospitalPosition = "45.3097,9.4979"

  /// The login of a person.
  static func login(of citizen: Citizen) -> DemoLogin {
    DemoLogin(kind: DemoLogin.singleUser, email: citizen.email.text, password: password)
  }

  private static func party(
    _ email: String, vat number: Int, _ name: String, _ description: String, sector: String,
    at position: String? = nil
  ) -> SimulatedAccount {
    var fields = [
      ("email", email), ("password", password), ("piva", SimulatedPeople.vatNumber(number)),
      ("company_name", name), ("company_description", description), ("sector", sector),
      ("legal_address", "Via della Sandbox 1, Lodi"),
    ]
    if let position { fields.append(("coordinate", position)) }
    return SimulatedAccount(
      login: DemoLogin(kind: DemoLogin.thirdParty, email: email, password: password),
      registration: Registration(.thirdParty, fields), name: name)
  }
}
