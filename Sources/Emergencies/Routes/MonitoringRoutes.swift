import Accounts
import AutomatedSOS
import Domain
import EventLoop
import HTTP
import HealthRecords
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// A single user's settings of AutomatedSOS: enabling with the permission for calls (R33, R34),
/// thresholds (SOS-1), contacts (SOS-6), pauses (SOS-9).
struct MonitoringRoutes: Sendable {
  private let dependencies: EmergenciesDependencies
  private let settings: EmergencySettings
  private let store: EmergencyStore
  private let contactMails: ContactMails

  init(
    _ dependencies: EmergenciesDependencies, _ settings: EmergencySettings,
    _ contactMails: ContactMails
  ) {
    self.contactMails = contactMails
    self.dependencies = dependencies
    self.settings = settings
    store = EmergencyStore(
      environment: dependencies.environment, database: dependencies.database,
      accountKeys: dependencies.accountKeys, root: dependencies.root, notices: dependencies.notices,
      settings)
  }

  /// The rows of the route table.
  var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.enableSOS, enable), routes.identified(.disableSOS, disable),
      routes.identified(.readSOSSettings, read),
      routes.identified(.chooseThresholds, chooseThresholds),
      routes.identified(.chooseContacts, chooseContacts),
      routes.identified(.pauseMonitoring, pause),
    ]
  }

  @Sendable private func enable(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(EnableSOSBody.self)
    guard payload.isPermitted else {
      return try await switchOff(request, identity, onlyIfEnabled: true)
    }
    let coverage = try await coverage(of: identity.account)
    return try await change(request, identity) { (transaction, _) throws(ApplicationError) in
      try await transaction.run(
        EnableMonitoring(
          account: identity.account, language: payload.language, now: dependencies.environment.now()
        ))
      return .message("AutomatedSOS enabled") { Self.write(coverage, to: &$0) }
    }.marking(isWatched: true)
  }

  @Sendable private func disable(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    try await switchOff(request, identity)
  }

  /// Withdraws the permission for calls, and with it everything that needs it.
  ///
  /// - Throws: `invalid` if `onlyIfEnabled` and monitoring is off.
  private func switchOff(
    _ request: Request, _ identity: Identity, onlyIfEnabled: Bool = false
  ) async throws(ApplicationError) -> Response {
    let response = try await change(request, identity) {
      (transaction, row) throws(ApplicationError) in
      guard row.isEnabled || !onlyIfEnabled else { throw .permissionNeeded }
      try await transaction.run(DisableMonitoring(account: identity.account))
      try await endOpenEmergencies(of: identity.account, in: transaction)
      return .message("AutomatedSOS disabled")
    }
    dependencies.notices.announce()
    return response.marking(isWatched: false)
  }

  /// Without the permission no calls are placed for emergencies in progress.
  private func endOpenEmergencies(
    of account: AccountID, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let open = try await transaction.run(OpenEmergencies(account: account))
    for id in open {
      guard var row = try await store.hold(id, of: account, in: transaction) else { continue }
      let from = row.stage
      guard row.abort(at: dependencies.environment.now()) else { continue }
      _ = try await store.store(row, from: from, in: transaction)
    }
  }

  @Sendable private func chooseThresholds(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(ChooseThresholdsBody.self)
    return try await change(request, identity) { (transaction, row) throws(ApplicationError) in
      let age = try age(of: row.birthDate)
      let personal = try payload.applied(to: row.personal, at: age)
      try await transaction.run(ReplaceThresholds(identity.account, personal))
      return .message("Settings updated")
    }
  }

  @Sendable private func chooseContacts(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let contacts = try request.payload(EmergencyContacts.self)
    for (index, contact) in contacts.list.enumerated()
    where contact.phone != nil && contact.callablePhone == nil {
      throw .invalid(
        "A contact's telephone needs its country code: + and at least eight digits, such as "
          + "+39 02 1234567. It can also be left out.", field: "contacts[\(index)].phone")
    }
    let account = identity.account
    let key = try await dependencies.accountKeys.key(of: account)
    let profile = try await dependencies.database.row(
      StoredProfile(account: account, kind: .singleUser))
    guard let profile else { throw .unauthenticated() }
    let person = try profile.sealed.open(SingleUserProfile.self, of: account, under: key)
    let response = try await change(request, identity) {
      (transaction, _) throws(ApplicationError) in
      try await transaction.run(
        ReplaceContacts(account: account, sealed: contacts.sealed(for: account, under: key)))
      let unasked = try await contactMails.ask(
        contacts, of: account, named: person.profile.fullName, under: key, in: transaction)
      return .message("Settings updated") { Self.write(unasked: unasked, to: &$0) }
    }
    dependencies.mailQueue.announce()
    return response
  }

  @Sendable private func pause(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(PauseUntilBody.self)
    let until = try payload.until(now: dependencies.environment.now().flooredToMilliseconds)
    return try await change(request, identity) { (transaction, _) throws(ApplicationError) in
      try await transaction.run(
        PauseMonitoring(account: identity.account, until: until))
      return .message("Settings updated") { $0.field("pausedUntil", until?.description) }
    }
  }

  /// Changes the row of the caller, which is locked from here to the commit.
  ///
  /// - Throws: `unauthenticated` for a deleted account, and the errors of `effect`.
  private func change(
    _ request: Request, _ identity: Identity,
    _ effect: (Transaction<ApplicationError>, ChangeMonitoredUser.Row)
      async throws(ApplicationError) -> Response
  ) async throws(ApplicationError) -> Response {
    try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      let change = ChangeMonitoredUser(account: identity.account)
      guard let row = try await transaction.runOne(change) else { throw .unauthenticated() }
      return try await effect(transaction, row)
    }
  }

  // MARK: Reading

  @Sendable private func read(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let account = identity.account
    guard let row = try await dependencies.database.row(MonitoredUser(account: account)) else {
      throw .unauthenticated()
    }
    let coverage = try await coverage(of: account)
    let age = try age(of: row.birthDate)
    let contacts = try await contacts(for: identity)
    let now = dependencies.environment.now()
    let pausedUntil = row.pausedUntil.flatMap { now < $0 ? $0.description : nil }
    return .json { writer in
      writer.field("enabled", row.permittedAt != nil)
      writer.field("permittedAt", row.permittedAt?.description)
      writer.field("language", row.language.rawValue)
      writer.field("pausedUntil", pausedUntil)
      writer.field("confirmSeconds", settings.confirmSeconds)
      writer.field("abortSeconds", settings.abortSeconds)
      writer.field("pulseAbortSeconds", settings.pulseAbortSeconds)
      writer.field("ageMonths", age.months)
      Self.write(row.personal, at: age, to: &writer)
      if let contacts { Self.write(contacts, to: &writer) }
      Self.write(coverage, to: &writer)
    }.notStored()
  }

  /// The contacts, for the person; nil for a device, which does not need them.
  private func contacts(
    for identity: Identity
  ) async throws(ApplicationError) -> [(EmergencyContact, ContactState?)]? {
    guard identity.device == 0 else { return nil }
    let account = identity.account
    let sealed = try await dependencies.database.row(ContactsOf(account: account))
    let key = try await dependencies.accountKeys.key(of: account)
    let contacts = try EmergencyContacts(sealed: sealed, of: account, under: key)
    let rows = try await dependencies.database.rows(ConsentsOfContacts(account: account))
    let consents = ContactConsents(rows, contactMails.index, of: account)
    return contacts.list.map { ($0, consents.stateOfList(of: $0)) }
  }

  private static func write(unasked: [EmergencyContact], to writer: inout JSONWriter) {
    guard !unasked.isEmpty else { return }
    writer.field("notAsked", unasked.map(\.email.text))
    writer.field(
      "notice",
      "These contacts are stored but were not asked: their addresses received too many such "
        + "mails today. Send the list again tomorrow to ask them.")
  }

  private static func write(
    _ contacts: [(EmergencyContact, ContactState?)], to writer: inout JSONWriter
  ) {
    writer.array("contacts") { writer in
      for (contact, state) in contacts {
        writer.object { writer in
          contact.writeFields(to: &writer)
          writer.field("state", state?.apiName ?? "not asked")
        }
      }
    }
  }

  private static func write(
    _ personal: PersonalThresholds, at age: Age, to writer: inout JSONWriter
  ) {
    let thresholds = Thresholds(age: age, preferring: personal)
    writer.array("thresholds") { writer in
      for threshold in Threshold.allCases {
        writer.object { writer in
          writer.field("name", threshold.rawValue)
          writer.field("value", thresholds[threshold])
          writer.field("own", personal[threshold] != nil)
          writer.field("min", threshold.safeBounds.lowerBound)
          writer.field("max", threshold.safeBounds.upperBound)
        }
      }
    }
  }

  private static func write(_ coverage: DeviceCoverage, to writer: inout JSONWriter) {
    writer.field("missing", coverage.missing.map(\.name))
    writer.field("notice", coverage.notice)
  }

  private func coverage(of account: AccountID) async throws(ApplicationError) -> DeviceCoverage {
    let devices = try await dependencies.database.rows(Devices(account: account))
    return DeviceCoverage(devices.map(\.types))
  }

  private func age(of birthDate: CalendarDate?) throws(ApplicationError) -> Age {
    guard let birthDate else {
      throw .internalError(because: "A person is stored without a birth date.")
    }
    return Age(from: birthDate, on: dependencies.today)
  }
}

extension ApplicationError {
  /// Monitoring can't be enabled without the permission for calls (R34).
  fileprivate static var permissionNeeded: ApplicationError {
    .invalid(
      "AutomatedSOS needs the permission to place emergency calls: send true, or leave it "
        + "switched off.", field: "callPermission")
  }
}

extension Response {
  /// This response, with a field from which the gateway learns whether AutomatedSOS monitors the
  /// account from now on: the gateway marks the next uploads for replicas that do not know it yet
  /// (decision 0022).
  fileprivate func marking(isWatched: Bool) -> Response {
    var response = self
    response.fields.append(.internalWatched, isWatched ? "1" : "0")
    return response
  }
}

extension Thresholds {
  /// The thresholds of an age with the person's changes if they are valid; those of the age alone
  /// if they are not, for example after a corrected birth date.
  init(age: Age, preferring personal: PersonalThresholds) {
    self = (try? Thresholds(age: age, personal: personal)) ?? Thresholds(age: age)
  }
}
