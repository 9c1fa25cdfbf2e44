import Domain
import EventLoop
import HTTP
import JSON
import PublicAPI
import Services

/// The body of a person's registration.
private struct SingleUserRegistrationPayload: JSONReadable {
  let email: String
  let password: String
  let fiscalCode: String
  let fullName: String
  let birthDate: String
  let sex: String
  let fields: SingleUserFields
  let parentEmail: EmailAddress?
  let consents: [ConsentEntry]

  init(from reader: inout JSONReader) throws(JSONError) {
    var email: String?
    var password: String?
    var fiscalCode: String?
    var fullName: String?
    var birthDate: String?
    var sex: String?
    var fields = SingleUserFields()
    var parentEmail: EmailAddress?
    var consents: [ConsentEntry] = []
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "email": email = try reader.string()
      case "password": password = try reader.string()
      case "fc": fiscalCode = try reader.string()
      case "full_name": fullName = try reader.string()
      case "birthdate": birthDate = try reader.string()
      case "sex": sex = try reader.string()
      case "parent_email":
        parentEmail = try reader.parsed { (text) throws(EmailAddressError) in
          try EmailAddress(text)
        }
      case "consents": consents = try ConsentEntry.list(&reader)
      default: _ = try fields.read(key, from: &reader)
      }
    }
    self.email = try reader.mandatory("email", email)
    self.password = try reader.mandatory("password", password)
    self.fiscalCode = try reader.mandatory("fc", fiscalCode)
    self.fullName = try reader.mandatory("full_name", fullName)
    self.birthDate = try reader.mandatory("birthdate", birthDate)
    self.sex = try reader.mandatory("sex", sex)
    self.fields = fields
    self.parentEmail = parentEmail
    self.consents = consents
  }
}

extension AuthenticationRoutes {
  /// Registers a person (R2, R4, ACC-1 to ACC-3, ACC-13).
  ///
  /// - Throws: `invalid` for a violated rule of the domain, `forbidden` with `Already registered`
  ///   for an email or fiscal code of another account, `rateLimited` when too many passwords are
  ///   queued, `unavailable`.
  func registerSingleUser(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: SingleUserRegistrationPayload = try request.payload()
    return try await register(try await person(payload), request)
  }

  private func person(
    _ payload: SingleUserRegistrationPayload
  ) async throws(ApplicationError) -> Registrant {
    let email = try Registrant.email(payload.email)
    let password = try Registrant.password(payload.password)
    let code: FiscalCode = try checked("fc") { () throws(FiscalCodeError) in
      try FiscalCode(payload.fiscalCode)
    }
    let name: FullName = try checked("full_name") { () throws(NameError) in
      try FullName(payload.fullName)
    }
    let day: CalendarDate = try checked("birthdate") { () throws(CalendarDateError) in
      try CalendarDate(payload.birthDate)
    }
    let today = dependencies.today
    let birthDate: BirthDate = try checked("birthdate") { () throws(BirthDateError) in
      try BirthDate(day, today: today)
    }
    guard let sex = Sex(rawValue: payload.sex) else {
      throw .invalid("The sex is F or M, as the fiscal code has it.", field: "sex")
    }
    guard code.agrees(with: birthDate.date, sex: sex) else {
      throw .invalid(
        "The fiscal code does not agree with the birth date and the sex.", field: "fc")
    }
    let parent = try parentEmail(payload, of: email, born: birthDate)
    var profile = SingleUserProfile(fullName: name.text)
    profile.parentEmail = parent?.text
    payload.fields.apply(to: &profile)
    try await PlaceFinder(database: dependencies.database).place(
      payload.fields, in: &profile, born: birthDate, code)
    return try Registrant(
      email: email, password: password, claim: .person(code, birthDate, sex, profile),
      parentEmail: parent, consents: payload.consents,
      locale: payload.fields.locale.applied(to: StoredLocale(), dependencies.locales.timeZones))
  }

  /// The parent to ask for confirmation; nil from 14 years on (ACC-13).
  private func parentEmail(
    _ payload: SingleUserRegistrationPayload, of email: EmailAddress, born birthDate: BirthDate
  ) throws(ApplicationError) -> EmailAddress? {
    guard birthDate.needsParent(on: dependencies.today) else { return nil }
    guard let parent = payload.parentEmail, parent != email else {
      throw .invalid(
        "Under 14 years a registration needs the email of a parent, who is asked to confirm it.",
        field: "parent_email")
    }
    return parent
  }
}
