import Accounts
import Domain
import EventLoop
import JSON
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// The list of third parties whose requests a person has accepted in advance (REQ-3).
///
/// It only applies to requests that are sent while the third party is on it. Requests accepted by
/// it continue after the third party is removed, until a side ends them, and the check-in of a run
/// does not use it (R47).
package struct TrustedThirdPartyRoutes: Sendable {
  private let environment: Environment
  private let database: Database
  private let effects: IdempotentEffects
  private let directory: AccountDirectory

  /// Routes over the accounts of this database.
  package init(
    environment: Environment, database: Database, effects: IdempotentEffects,
    directory: AccountDirectory
  ) {
    self.environment = environment
    self.database = database
    self.effects = effects
    self.directory = directory
  }

  /// The rows of the route table.
  package var all: [Route] {
    let routes = EndpointRoutes()
    return [
      routes.identified(.listPreconfirmed, list),
      routes.identified(.choosePreconfirmed, choose),
    ]
  }

  private func list(_ request: Request, _ identity: Identity) async throws(ApplicationError)
    -> Response
  {
    let limit = PageLimit.count(request.query)
    let cursor = try PageCursor.words(.trustedThirdParties, in: request.query)
      .map { words in words.map { Int64(bitPattern: $0) } }
    let rows = try await database.rows(
      TrustedThirdParties(
        account: identity.account,
        before: cursor.map { Instant(microsecondsSince1970: $0[0]) } ?? .infinity,
        beforeThirdParty: AccountID(rawValue: cursor?[1] ?? .max), limit: limit + 1))
    let page = rows.prefix(limit)
    let thirdParties = try await directory.thirdParties(Set(page.map(\.thirdParty)))
    return .json { writer in
      writer.array("thirdParties") { writer in
        for row in page {
          guard let thirdParty = thirdParties[row.thirdParty] else { continue }
          writer.object { writer in
            writer.field("piva", thirdParty.vatNumber)
            writer.field("company_name", thirdParty.companyName)
            writer.field("company_description", thirdParty.companyDescription)
            writer.field("since", row.listedAt.description)
          }
        }
      }
      if rows.count > limit, let last = page.last {
        let words = [last.listedAt.microsecondsSince1970, last.thirdParty.rawValue]
        writer.field(
          "next", PageCursor.text(.trustedThirdParties, words.map(UInt64.init(bitPattern:))))
      }
    }
  }

  private static let unknown = ApplicationError(
    .notFound, detail: "No third party has this piva or email.")

  /// Blocks the deletion of both accounts while one is added to the other's list.
  ///
  /// - Throws: `invalid` unless exactly one of P.IVA and email is present, `notFound` for an
  ///   unknown third party, `unavailable`.
  private func choose(
    _ request: Request, _ identity: Identity
  ) async throws(ApplicationError) -> Response {
    let payload = try request.payload(TrustThirdPartyBody.self)
    let found: AccountID?
    switch (payload.vatNumber, payload.email) {
    case (let number?, nil): found = try await directory.activeThirdParty(number)
    case (nil, let email?): found = try await directory.activeThirdParty(email)
    case (nil, nil), (.some, .some):
      throw .invalid("Name the third party by exactly one of piva and email.", field: "piva")
    }
    guard let found else { throw Self.unknown }
    return try await effects.run(request, for: identity.account) {
      (transaction) throws(ApplicationError) in
      if payload.isAllowed {
        let held = try await transaction.run(HoldAccounts(accounts: [identity.account, found]))
        guard held.contains(identity.account) else { throw .unauthenticated() }
        guard held.contains(found) else { throw Self.unknown }
        try await transaction.run(
          ListThirdParty(
            account: identity.account, thirdParty: found, now: environment.now()))
      } else {
        try await transaction.run(
          StrikeThirdParty(account: identity.account, thirdParty: found))
      }
      return .message("Settings updated")
    }
  }
}
