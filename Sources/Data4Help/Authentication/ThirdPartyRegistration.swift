import Domain
import HTTP
import JSON
import PublicAPI
import Services

/// The body of a company's registration.
private struct ThirdPartyRegistrationPayload: JSONReadable {
  let email: String
  let password: String
  let vatNumber: String
  let companyName: String
  let description: String
  let fields: ThirdPartyFields
  let consents: [ConsentEntry]

  init(from reader: inout JSONReader) throws(JSONError) {
    var email: String?
    var password: String?
    var vatNumber: String?
    var companyName: String?
    var description: String?
    var fields = ThirdPartyFields()
    var consents: [ConsentEntry] = []
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "email": email = try reader.string()
      case "password": password = try reader.string()
      case "piva": vatNumber = try reader.string()
      case "company_name": companyName = try reader.string()
      case "company_description": description = try reader.string()
      case "consents": consents = try ConsentEntry.list(&reader)
      default: _ = try fields.read(key, from: &reader)
      }
    }
    self.email = try reader.mandatory("email", email)
    self.password = try reader.mandatory("password", password)
    self.vatNumber = try reader.mandatory("piva", vatNumber)
    self.companyName = try reader.mandatory("company_name", companyName)
    self.description = try reader.mandatory("company_description", description)
    self.fields = fields
    self.consents = consents
  }
}

extension AuthenticationRoutes {
  /// Registers a company (R3, R4, ACC-1, ACC-2, ACC-4, ACC-12).
  ///
  /// - Throws: as for a person; `forbidden` also for a P.IVA or company name of another account.
  func registerThirdParty(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ThirdPartyRegistrationPayload = try request.payload()
    return try await register(try company(payload), request)
  }

  private func company(
    _ payload: ThirdPartyRegistrationPayload
  ) throws(ApplicationError) -> Registrant {
    let email = try Registrant.email(payload.email)
    let password = try Registrant.password(payload.password)
    let number: VATNumber = try checked("piva") { () throws(VATNumberError) in
      try VATNumber(payload.vatNumber)
    }
    let name: CompanyName = try checked("company_name") { () throws(CompanyNameError) in
      try CompanyName(payload.companyName)
    }
    let description = try Self.description(payload.description)
    var profile = ThirdPartyProfile(companyName: name.text, description: description)
    payload.fields.apply(to: &profile)
    return try Registrant(
      email: email, password: password, claim: .company(number, name, profile),
      parentEmail: nil, consents: payload.consents,
      locale: payload.fields.locale.applied(to: StoredLocale(), dependencies.locales.timeZones))
  }

  /// A company's description, without surrounding white space.
  ///
  /// - Throws: `invalid` if it is empty or too long, or contains invisible characters.
  static func description(_ text: String) throws(ApplicationError) -> String {
    try checked("company_description") { () throws(CompanyDescriptionError) in
      try CompanyDescription(text).description
    }
  }
}
