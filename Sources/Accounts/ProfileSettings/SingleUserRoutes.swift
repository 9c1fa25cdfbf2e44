import Domain
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The design document's Single User Manager: a person's own profile (ACC-3, ACC-5, ACC-9).
package struct SingleUserRoutes: Sendable {
  private let dependencies: AccountsDependencies
  private let authentication: AuthenticationRoutes
  private let places: PlaceFinder
  private let recipients: any DataRecipients
  private let birthDateChanged: BirthDateChange

  /// Called in the transaction that stores another birth date of an account.
  package typealias BirthDateChange =
    @Sendable (AccountID, Transaction<ApplicationError>) async throws(ApplicationError) -> Void

  /// Routes of one loop; passwords are verified as at login. `recipients` learn that an account is
  /// inactive, and receive what was stored before.
  package init(
    _ authentication: AuthenticationRoutes, recipients: any DataRecipients,
    birthDateChanged: @escaping BirthDateChange
  ) {
    self.authentication = authentication
    self.recipients = recipients
    self.birthDateChanged = birthDateChanged
    dependencies = authentication.dependencies
    places = PlaceFinder(database: dependencies.database)
  }

  /// The rows of the route table.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.readSingleUser, read),
      routes.identified(.changeSingleUser, change),
      routes.identified(.chooseStatus, chooseStatus),
    ]
  }

  private func read(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    guard
      let row = try await dependencies.database.row(
        StoredProfile(account: identity.account, kind: .singleUser))
    else { throw .unauthenticated() }
    let key = try await dependencies.accountKeys.key(of: identity.account)
    let person = try row.sealed.open(SingleUserProfile.self, of: identity.account, under: key)
    let profile = person.profile
    let details = try await places.details(
      of: [profile.residence, profile.birthPlace].compactMap { $0 })
    return Response.json {
      $0.field("email", person.email)
      $0.field("fc", person.identity)
      $0.field("full_name", profile.fullName)
      $0.fieldIfPresent("birthdate", row.birthDate?.description)
      $0.fieldIfPresent("sex", row.sex?.rawValue)
      $0.field("active", row.state == .active)
      PlaceDetails(profile.residence, abroad: profile.residenceAbroad, among: details)?
        .write("residence", prefix: "residence", to: &$0)
      PlaceDetails(profile.birthPlace, abroad: profile.birthAbroad, among: details)?
        .write("birth_place", prefix: "birth", to: &$0)
      profile.writePlain(to: &$0)
      $0.fields(of: dependencies.locales.locale(row.locale))
    }.notStored()
  }

  private func change(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: ChangeSingleUserBody = try request.payload()
    return try await ProfileChanging(authentication: authentication).change(
      request, of: identity, payload.passwords, payload.consents
    ) { (row, confirmed, transaction) throws(ApplicationError) in
      try await store(payload, over: row, of: confirmed, in: transaction)
    }
  }

  private func store(
    _ payload: ChangeSingleUserBody, over row: ProfileRow, of confirmed: ConfirmedAccount,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let account = confirmed.account
    let person = try row.sealed.open(SingleUserProfile.self, of: account, under: confirmed.key)
    let code: FiscalCode = try checked("fc") { () throws(FiscalCodeError) in
      try FiscalCode(person.identity)
    }
    guard let storedDate = row.birthDate, let storedSex = row.sex else {
      throw .internalError(because: "A person is stored without a birth date or a sex.")
    }
    let birthDate = try self.birthDate(payload.birthDate, or: storedDate)
    let sex = payload.sex ?? storedSex
    guard code.agrees(with: birthDate.date, sex: sex) else {
      throw .invalid(
        "The birth date and the sex have to agree with the fiscal code.",
        field: payload.birthDate == nil ? "sex" : "birthdate")
    }
    var profile = person.profile
    if let name = payload.fullName { profile.fullName = name.text }
    payload.fields.apply(to: &profile)
    try await places.place(payload.fields, in: &profile, born: birthDate, code)
    try await transaction.run(
      ReplaceProfile(
        account: account,
        sealed: SealedAccount.seal(profile, of: account, under: confirmed.key),
        searched: SearchedColumns(profile, birthDate, sex),
        locale: payload.fields.locale.applied(to: row.locale, dependencies.locales.timeZones)),
      DeleteDiseases(account: account),
      InsertDiseases(account, profile.diseases, authentication.indexes))
    if birthDate.date != storedDate {
      try await birthDateChanged(account, transaction)
    }
  }

  private func birthDate(
    _ wanted: CalendarDate?, or stored: CalendarDate
  ) throws(ApplicationError) -> BirthDate {
    guard let wanted, wanted != stored else { return BirthDate(stored: stored) }
    let today = dependencies.today
    let birthDate: BirthDate = try checked("birthdate") { () throws(BirthDateError) in
      try BirthDate(wanted, today: today)
    }
    guard !birthDate.needsParent(on: today) else {
      throw .invalid(
        "Under the age of 14, an account needs a parent's confirmation at registration.",
        field: "birthdate")
    }
    return birthDate
  }

  private func chooseStatus(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload: ChooseStatusBody = try request.payload()
    // Before the state changes: the state at the time of the upload decides what is delivered, not
    // that at the time of the relay.
    try await recipients.relayStored(of: identity.account, in: dependencies.database)
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      try await transaction.run(
        ChooseAccountState(
          account: identity.account, state: payload.isActive ? .active : .inactive))
      try await recipients.hideFromUnpaid(
        of: identity.account, isActive: payload.isActive, in: transaction)
      if !payload.isActive {
        try await recipients.unavailable(
          of: identity.account, .all, .accountInactive, in: transaction)
      }
      return .message("Settings updated")
    }
  }
}

extension PlaceDetails {
  /// Writes the place's name as the field itself, and its derived fields beside it.
  fileprivate func write(_ name: String, prefix: String, to writer: inout JSONWriter) {
    writer.field(name, self.name)
    writer.fieldIfPresent("\(prefix)_istat", istatCode)
    writer.fieldIfPresent("\(prefix)_province", province)
    writer.fieldIfPresent("\(prefix)_region", region)
    writer.fieldIfPresent("\(prefix)_country", country)
  }
}
