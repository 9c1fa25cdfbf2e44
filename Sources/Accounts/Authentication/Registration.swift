import Bytes
import Cryptography
import Domain
import EventLoop
import Mail
import Operations
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

extension AuthenticationRoutes {
  /// Creates an account that is not activated yet.
  ///
  /// The key is created first, in its own database. The start of the registration is stored before
  /// that, so that a key without an account is destroyed eventually, whatever crashes in between.
  ///
  /// - Throws: `forbidden` with `Already registered`; `rateLimited` when too many passwords are
  ///   queued; `unavailable`.
  func register(
    _ registrant: Registrant, _ request: Request
  ) async throws(ApplicationError) -> Response {
    if let kept = try await dependencies.effects.kept(for: request) { return kept }
    let hash = try await passwords.hash(registrant.password.text)
    let account = newAccountNumber()
    let begun = try await dependencies.database.effect(
      BeginRegistration(account: account, at: dependencies.environment.now()))
    guard begun != nil else { throw .unavailable() }
    var isStored = false
    do throws(ApplicationError) {
      let key = try await dependencies.accountKeys.make(for: account)
      let response = try await dependencies.effects.run(request) {
        (transaction) throws(ApplicationError) in
        try await store(registrant, account, passwordHash: hash, key, in: transaction)
        isStored = true
        return .message("Registration successful")
      }
      if !isStored { await abandon(account) }
      dependencies.mailQueue.announce()
      return response
    } catch {
      await abandon(account)
      throw error
    }
  }

  private func store(
    _ registrant: Registrant, _ account: AccountID, passwordHash: String, _ key: SealingKey,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let now = dependencies.environment.now()
    let until = now + AuthenticationSettings.activationMax
    try await reserve(registrant, for: account, at: now, until: until, in: transaction)
    let (finished, _) = try await transaction.run(
      FinishRegistration(account: account),
      InsertAccount(registrant, account, passwordHash: passwordHash, under: key, at: now))
    // The sweeper considered this registration abandoned and has destroyed its key.
    guard !finished.isEmpty else { throw .unavailable() }
    if case .person(_, _, _, let profile) = registrant.claim, !profile.diseases.isEmpty {
      try await transaction.run(InsertDiseases(account, profile.diseases, indexes))
    }
    try await consents.record(
      registrant.consents, of: account, registering: registrant.kind, in: transaction)
    try await mailLinks(to: registrant, account, at: now, until: until, in: transaction)
  }

  /// Mails the link that activates the account, and another one to a parent (ACC-13).
  private func mailLinks(
    to registrant: Registrant, _ account: AccountID, at now: Instant, until: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    let mails = AccountMails(
      environment: dependencies.environment, locales: dependencies.locales, settings)
    let token = tokens.issue(.activation)
    try await transaction.run(
      InsertActivation(
        token: token.hash, account: account, issuedAt: now, validUntil: until, isParents: false))
    let activation = mails.activation(
      to: registrant.email, registrant.locale, token: token, until: until)
    if let activation {
      try await dependencies.mailQueue.enqueue(activation, of: MailOwner(account), in: transaction)
    }
    guard let parent = registrant.parentEmail else { return }
    let parents = tokens.issue(.activation)
    try await transaction.run(
      InsertActivation(
        token: parents.hash, account: account, issuedAt: now, validUntil: until, isParents: true))
    let mail = mails.parentsConfirmation(
      to: parent, of: registrant.email, token: parents, until: until)
    guard let mail else { return }
    try await dependencies.mailQueue.enqueue(mail, of: MailOwner(account), in: transaction)
  }

  /// Reserves the unique identifiers of the account, until it is activated or `until`.
  private func reserve(
    _ registrant: Registrant, for account: AccountID, at now: Instant, until: Instant,
    in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    func reserve(_ blind: BlindValue) -> ReserveIdentifier {
      ReserveIdentifier(blind: blind, account: account, now: now, until: until)
    }
    let email = reserve(indexes.value(of: registrant.email))
    switch registrant.claim {
    case .person(let code, _, _, _):
      let taken = try await transaction.run(email, reserve(indexes.value(of: code)))
      try held(taken.0, "email", "email")
      try held(taken.1, "fc", "fiscal code")
    case .company(let number, let name, _):
      let taken = try await transaction.run(
        email, reserve(indexes.value(of: number)), reserve(indexes.value(of: name)))
      try held(taken.0, "email", "email")
      try held(taken.1, "piva", "P.IVA")
      try held(taken.2, "company_name", "company name")
    }
  }

  private func held(
    _ reserved: [AccountID], _ field: String, _ name: String
  ) throws(ApplicationError) {
    guard reserved.isEmpty else { return }
    throw ApplicationError(
      .forbidden, "Already registered", detail: "Another account has this \(name).", field: field)
  }

  /// Destroys the key of a failed registration. If the outcome is unknown and the registration was
  /// committed after all, the key stays. A failure here is left to the sweeper.
  private func abandon(_ account: AccountID) async {
    do throws(ApplicationError) {
      try await dependencies.database.transaction { (transaction) throws(ApplicationError) in
        let begun = try await transaction.runOne(FinishRegistration(account: account))
        if begun != nil { try await dependencies.accountKeys.destroy([account]) }
      }
    } catch {
      dependencies.log.failure(
        "destroy key of failed registration failed", error, level: .warning,
        .number("account_id", account.rawValue))
    }
  }

  /// 62 random bits, never zero, so that the number does not reveal how many accounts exist.
  private func newAccountNumber() -> AccountID {
    let bits = UInt64(bigEndianBytes: dependencies.environment.randomBytes(8))
    return AccountID(rawValue: max(1, Int64(bits >> 2)))
  }
}
