import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

extension AuthenticationRoutes {
  /// Ends the session of the token (ACC-7), and the push messages to its browser.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func logout(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    let end = EndSession(token: identity.session, at: dependencies.environment.now())
    return try await dependencies.effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      // After a call that is storing a subscription: this one deletes it.
      try await transaction.run(
        LockAccount(account: identity.account),
        DeletePushSubscriptionsOfSession(account: identity.account, session: identity.session), end)
      return .message("Action successful")
    }
  }

  /// The account of the token.
  ///
  /// - Throws: `unauthenticated` with `Wrong token` if the account was deleted meanwhile,
  ///   `unavailable`.
  func me(_ request: Request, _ identity: Identity) async throws(ApplicationError) -> Response {
    guard
      let row = try await dependencies.database.row(CallerAccount(account: identity.account))
    else { throw .unauthenticated() }
    let key = try await dependencies.accountKeys.key(of: identity.account)
    switch row.kind {
    case .singleUser:
      let person = try row.sealed.open(
        SingleUserProfile.self, of: identity.account, under: key)
      return Self.response(row, email: person.email) {
        $0.field("full_name", person.profile.fullName)
        $0.field("fc", person.identity)
      }
    case .thirdParty:
      let company = try row.sealed.open(
        ThirdPartyProfile.self, of: identity.account, under: key)
      let isHospital = try await mayAnswerEmergencies(identity.account)
      return Self.response(row, email: company.email) {
        $0.field("company_name", company.profile.companyName)
        $0.field("piva", company.identity)
        $0.field("hospital", isHospital)
      }
    }
  }
}

extension AuthenticationRoutes {
  private static func response(
    _ row: CallerAccount.Row, email: String, _ more: (inout JSONWriter) -> Void
  ) -> Response {
    Response.json {
      $0.field("accountType", row.kind.kind.rawValue)
      $0.field("email", email)
      more(&$0)
      $0.field("registeredAt", row.registeredAt.description)
    }.notStored()
  }
}

struct CallerAccount: Statement {
  struct Row: Sendable {
    let kind: StoredKind
    let registeredAt: Instant
    let sealed: SealedAccount
  }
  static let sql: SQL<Self> = """
    SELECT kind, registered_at, sealed_email, sealed_identity, sealed_profile
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       AND state <> 1
    """
  static let columns = Columns {
    (
      kind: StoredKind, registeredAt: Instant, email: [UInt8], identity: [UInt8],
      profile: [UInt8]
    ) in
    Row(
      kind: kind, registeredAt: registeredAt,
      sealed: SealedAccount(email: email, identity: identity, profile: profile))
  }
  let account: AccountID
}
