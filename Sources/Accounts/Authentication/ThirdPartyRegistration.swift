import Domain
import JSON
import PublicAPI
import ServiceKit
import Web

extension AuthenticationRoutes {
  /// Registers a company (R3, R4, ACC-1, ACC-2, ACC-4, ACC-12).
  ///
  /// - Throws: as for a person; `forbidden` also for a P.IVA or company name of another account.
  func registerThirdParty(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: RegisterThirdPartyBody = try request.payload()
    return try await register(try company(payload), request)
  }

  private func company(
    _ payload: RegisterThirdPartyBody
  ) throws(ApplicationError) -> Registrant {
    var profile = ThirdPartyProfile(
      companyName: payload.companyName.text, description: payload.description.description)
    payload.fields.apply(to: &profile)
    return try Registrant(
      email: payload.email, password: payload.password,
      claim: .company(payload.vatNumber, payload.companyName, profile),
      parentEmail: nil, consents: payload.consents,
      locale: payload.fields.locale.applied(to: StoredLocale(), dependencies.locales.timeZones))
  }
}
