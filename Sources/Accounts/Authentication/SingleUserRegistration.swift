import Domain
import JSON
import PublicAPI
import ServiceKit
import Web

extension AuthenticationRoutes {
  /// Registers a person (R2, R4, ACC-1 to ACC-3, ACC-13).
  ///
  /// - Throws: `invalid` for a violated rule of the domain, `forbidden` with `Already registered`
  ///   for an email or fiscal code of another account, `rateLimited` when too many passwords are
  ///   queued, `unavailable`.
  func registerSingleUser(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: RegisterSingleUserBody = try request.payload()
    return try await register(try await person(payload), request)
  }

  private func person(
    _ payload: RegisterSingleUserBody
  ) async throws(ApplicationError) -> Registrant {
    let (email, code, sex) = (payload.email, payload.fiscalCode, payload.sex)
    let today = dependencies.today
    let birthDate: BirthDate = try checked("birthdate") { () throws(BirthDateError) in
      try BirthDate(payload.birthDate, today: today)
    }
    guard code.agrees(with: birthDate.date, sex: sex) else {
      throw .invalid(
        "The fiscal code does not agree with the birth date and the sex.", field: "fc")
    }
    let parent = try parentEmail(payload, of: email, born: birthDate)
    var profile = SingleUserProfile(fullName: payload.fullName.text)
    profile.parentEmail = parent?.text
    payload.fields.apply(to: &profile)
    try await PlaceFinder(database: dependencies.database).place(
      payload.fields, in: &profile, born: birthDate, code)
    return try Registrant(
      email: email, password: payload.password, claim: .person(code, birthDate, sex, profile),
      parentEmail: parent, consents: payload.consents,
      locale: payload.fields.locale.applied(to: StoredLocale(), dependencies.locales.timeZones))
  }

  /// The parent to ask for confirmation; nil from 14 years on (ACC-13).
  private func parentEmail(
    _ payload: RegisterSingleUserBody, of email: EmailAddress, born birthDate: BirthDate
  ) throws(ApplicationError) -> EmailAddress? {
    guard birthDate.needsParent(on: dependencies.today) else { return nil }
    guard let parent = payload.parentEmail, parent != email else {
      throw .invalid(
        "A person under the age of 14 needs the email of a parent, who confirms the registration.",
        field: "parent_email")
    }
    return parent
  }
}
