import Cryptography
import Domain
import EventLoop
import HTTP
import JSON
import Mail
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The result of following a link.
enum ActivationOutcome: Sendable, CaseIterable {
  case activated
  /// One of two confirmations that the account of a child needs.
  case confirmed
  /// No registration matches this token: it is forged, unknown, or too late.
  case wrongToken
  case alreadyActivated
}

extension AuthenticationRoutes {
  /// The most links mailed for one registration, and the shortest time between two.
  static let linksMax = 5
  static let linkPause = Duration.seconds(60)

  /// Follows the link of the mail (ACC-1). A HEAD request, as link scanners send it, changes
  /// nothing.
  ///
  /// - Throws: `unauthenticated` with `Wrong token`, `forbidden` with `Already activated`,
  ///   `unavailable`; as a page if HTML is preferred.
  func activate(_ request: Request) async throws(ApplicationError) -> Response {
    let isPage = MediaPreference.prefersHTML(request)
    guard request.head.method != .head else { return Response() }
    let outcome = try await activate(token: request.query["activToken"] ?? "")
    if isPage { return ActivationPage.response(outcome) }
    switch outcome {
    case .activated: return .message("Account activated").notStored()
    case .confirmed: return .message("Confirmation received").notStored()
    case .wrongToken: throw .unauthenticated()
    case .alreadyActivated:
      throw ApplicationError(
        .forbidden, "Already activated", detail: "This link was used before: log in.")
    }
  }

  private func activate(token text: String) async throws(ApplicationError) -> ActivationOutcome {
    guard let token = try? tokens.verify(text.utf8.span), token.kind == .activation else {
      return .wrongToken
    }
    let now = dependencies.environment.now()
    return try await dependencies.database.transaction { (transaction) throws(ApplicationError) in
      guard let found = try await transaction.runOne(LockActivation(token: token.hash)) else {
        return .wrongToken
      }
      guard found.state == .registered else { return .alreadyActivated }
      guard found.validUntil > now else { return .wrongToken }
      guard found.isParents ? found.needsParent : found.needsOwner else {
        return .alreadyActivated
      }
      let account = found.account
      guard !(found.isParents ? found.needsOwner : found.needsParent) else {
        try await transaction.run(
          ConfirmRegistration(account: account, byParent: found.isParents))
        return .confirmed
      }
      let (_, kept) = try await transaction.run(
        ActivateAccount(account: account, at: now), KeepIdentifiers(account: account))
      // Another account may have taken one of them since: clocks differ between machines.
      guard kept.count == found.kind.identifierCount else { throw .unauthenticated() }
      return .activated
    }
  }

  /// Mails another link if the registration is not activated (ACC-1); the answer never reveals
  /// whether it exists. All links expire at the same time, a day after the registration.
  ///
  /// - Throws: `invalid` for a malformed email, `unavailable`.
  func resendActivation(_ request: Request) async throws(ApplicationError) -> Response {
    let email = try request.payload(AccountEmailBody.self).email
    let now = dependencies.environment.now()
    let token = tokens.issue(.activation)
    let reissue = ReissueActivation(
      token: token.hash, blind: indexes.value(of: email), now: now,
      sentBefore: now - Self.linkPause, linksMax: Self.linksMax)
    let response = try await dependencies.effects.run(request) {
      (transaction) throws(ApplicationError) in
      let waiting = try await transaction.runOne(reissue)
      let mail = AccountMails(
        environment: dependencies.environment, locales: dependencies.locales, settings
      )
      .activation(
        to: email, waiting?.locale ?? StoredLocale(), token: token, until: waiting?.until ?? now)
      if let mail {
        // Without an account as well: the time of the answer must not reveal whether a registration
        // exists.
        try await dependencies.mailQueue.enqueue(
          mail, of: MailOwner(account: waiting?.account.rawValue), if: waiting != nil,
          in: transaction)
      }
      return .message("Action successful")
    }
    dependencies.mailQueue.announce()
    return response
  }
}

extension StoredKind {
  /// The email with the fiscal code, or with the P.IVA and the company name.
  fileprivate var identifierCount: Int {
    switch self {
    case .singleUser: 2
    case .thirdParty: 3
    }
  }
}

extension Response {
  /// This response, marked so that no cache stores it.
  package func notStored() -> Response {
    var response = self
    response.fields.set(.cacheControl, "no-store")
    return response
  }
}
