import Accounts
import Cryptography
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Web

/// The uses of a link besides declining, which every unused link allows.
struct ContactOffer: Sendable {
  /// The name of the person; nil once the contact is off the list, and while AutomatedSOS is off.
  let name: String?
  let state: ContactState
  /// Whether the mail of the link named the telephone in the list.
  let mayAgree: Bool
}

/// The endpoints behind the link in a mail to an emergency contact (SOS-6), who needs no account.
/// Opening the link changes nothing; the answer invalidates it. A link agrees only to the telephone
/// that its mail named, and only while the person's list contains it; it can always decline.
struct ContactRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let accountKeys: AccountKeys
  private let effects: IdempotentEffects
  private let tokens: TokenAuthority
  private let index: ContactIndex

  init(
    environment: Environment, database: Database, accountKeys: AccountKeys, root: RootSecret,
    effects: IdempotentEffects
  ) {
    self.environment = environment
    self.database = database
    self.accountKeys = accountKeys
    self.effects = effects
    index = ContactIndex(root: root)
    tokens = TokenAuthority(root: root)
  }

  /// The rows of the route table.
  var all: [Route] {
    let routes = EndpointRoutes()
    return [routes.open(.openContactLink, open), routes.open(.answerAsContact, answer)]
  }

  private func token(_ text: String) throws(ApplicationError) -> TokenHash {
    guard let token = try? tokens.verify(text.utf8.span), token.kind == .contact else {
      throw .unauthenticated()
    }
    return token.hash
  }

  @Sendable private func open(_ request: Request) async throws(ApplicationError) -> Response {
    let isPage = MediaPreference.prefersHTML(request)
    do throws(ApplicationError) {
      let hash = try token(request.query["token"] ?? "")
      let link = try await database.row(StandingContactLink(token: hash))
      guard let link, let offer = try await offer(of: link) else { throw .unauthenticated() }
      if isPage { return ContactPage.response(of: offer) }
      return .json { writer in
        writer.field("message", "Link valid")
        writer.fieldIfPresent("full_name", offer.name)
        writer.field("state", offer.state.apiName)
        writer.field("mayAgree", offer.mayAgree)
      }.notStored()
    } catch {
      guard isPage, error.reason == .unauthenticated else { throw error }
      return ContactPage.deadLink
    }
  }

  /// The uses of a link; nil if the account of the person who named the contact was deleted.
  private func offer(of link: ContactLink) async throws(ApplicationError) -> ContactOffer? {
    let account = link.account
    let profile = StoredProfile(account: account, kind: .singleUser)
    guard let row = try await database.row(profile) else { return nil }
    let key = try await accountKeys.key(of: account)
    guard let contact = try listed(link, under: key) else {
      return ContactOffer(name: nil, state: link.state, mayAgree: false)
    }
    let person = try row.sealed.open(SingleUserProfile.self, of: account, under: key)
    return ContactOffer(
      name: person.profile.fullName, state: link.state,
      mayAgree: link.phone == index.phone(of: contact, account))
  }

  /// The contact of a link in the person's list; nil if it is not on the list, and while
  /// AutomatedSOS is off.
  private func listed(
    _ link: ContactLink, under key: SealingKey
  ) throws(ApplicationError) -> EmergencyContact? {
    guard link.isMonitored else { return nil }
    let contacts = try EmergencyContacts(
      sealed: link.sealedContacts, of: link.account, under: key)
    return contacts.list.first { index.address(of: $0, link.account) == link.contact }
  }

  /// The telephone that an answer agrees to.
  ///
  /// - Throws: `unauthenticated` for an unknown or used link, `conflict` for one that can only
  ///   decline.
  private func agreedPhone(
    by token: TokenHash, in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) -> BlindValue? {
    let link = try await transaction.runOne(StandingContactLink(token: token))
    guard let link else { throw .unauthenticated() }
    let key = try await accountKeys.key(of: link.account)
    let contact = try listed(link, under: key)
    guard let contact, link.phone == index.phone(of: contact, link.account) else {
      throw .conflict(
        "With this link you can only decline. To agree, use the link of the newest mail, if "
          + "there is one.")
    }
    return link.phone
  }

  @Sendable private func answer(_ request: Request) async throws(ApplicationError) -> Response {
    let payload: ContactAnswerBody = try request.payload()
    let hash = try token(payload.token)
    let now = environment.now()
    return try await effects.run(request) { (transaction) throws(ApplicationError) in
      var phone: BlindValue?
      if payload.agrees { phone = try await agreedPhone(by: hash, in: transaction) }
      let use = UseContactLink(
        token: hash, state: payload.agrees ? ContactState.agreed : .declined, phone: phone,
        now: now)
      guard try await transaction.runOne(use) != nil else { throw .unauthenticated() }
      return .message("Action successful").notStored()
    }
  }
}
