import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The design document's Third Party Manager: a company's own profile (ACC-4, ACC-5).
package struct ThirdPartyRoutes: Sendable {
  private let dependencies: AccountsDependencies
  private let authentication: AuthenticationRoutes

  /// Routes of one loop; passwords are verified as at login.
  package init(_ authentication: AuthenticationRoutes) {
    self.authentication = authentication
    dependencies = authentication.dependencies
  }

  /// The rows of the route table.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.readThirdParty, read),
      routes.identified(.changeThirdParty, change),
    ]
  }

  private func read(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    guard
      let row = try await dependencies.database.row(
        StoredProfile(account: identity.account, kind: .thirdParty))
    else { throw .unauthenticated() }
    let key = try await dependencies.accountKeys.key(of: identity.account)
    let company = try row.sealed.open(ThirdPartyProfile.self, of: identity.account, under: key)
    return Response.json {
      $0.field("email", company.email)
      $0.field("piva", company.identity)
      company.profile.writeFields(to: &$0)
      $0.fields(of: dependencies.locales.locale(row.locale))
    }.notStored()
  }

  private func change(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: ChangeThirdPartyBody = try request.payload()
    return try await ProfileChanging(authentication: authentication).change(
      request, of: identity, payload.passwords, payload.consents
    ) { (row, confirmed, transaction) throws(ApplicationError) in
      try await store(payload, over: row, of: confirmed, in: transaction)
    }
  }

  private func store(
    _ payload: ChangeThirdPartyBody, over row: ProfileRow, of confirmed: ConfirmedAccount,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let account = confirmed.account
    let company = try row.sealed.open(ThirdPartyProfile.self, of: account, under: confirmed.key)
    var profile = company.profile
    if let name = payload.companyName {
      try await rename(profile.companyName, to: name, account, in: transaction)
      try await transaction.run(NoteNameChanged(account: account))
      profile.companyName = name.text
    }
    if let description = payload.description {
      profile.description = description.description
    }
    payload.fields.apply(to: &profile)
    try await transaction.run(
      ReplaceProfile(
        account: account,
        sealed: SealedAccount.seal(profile, of: account, under: confirmed.key),
        searched: SearchedColumns(),
        locale: payload.fields.locale.applied(to: row.locale, dependencies.locales.timeZones)))
  }

  /// Reserves the new name, unless another company has a similar one (ACC-12), and releases the
  /// old.
  private func rename(
    _ old: String, to new: CompanyName, _ account: AccountID,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let oldName: CompanyName = try checked("company_name") { () throws(NameError) in
      try CompanyName(stored: old)
    }
    guard oldName.normalised != new.normalised else { return }
    let now = dependencies.environment.now()
    let indexes = authentication.indexes
    let reserved = try await transaction.run(
      ReserveIdentifier(blind: indexes.value(of: new), account: account, now: now, until: now))
    guard !reserved.isEmpty else {
      throw ApplicationError(
        .forbidden, "Already registered", detail: "Another account has this company name.",
        field: "company_name")
    }
    try await transaction.run(
      KeepIdentifiers(account: account),
      ReleaseIdentifier(account: account, blind: indexes.value(of: oldName)))
  }
}
