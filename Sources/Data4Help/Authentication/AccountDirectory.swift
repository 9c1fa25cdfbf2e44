import Domain
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// Finds accounts and says who a third party is, for the rest of Data4Help.
package struct AccountDirectory: Sendable {
  private let database: Database
  private let keys: AccountKeys
  private let indexes: AccountIndexes
  private let log: Log

  /// The accounts of these surroundings.
  package init(_ surroundings: Surroundings) {
    database = surroundings.database
    keys = surroundings.accountKeys
    indexes = AccountIndexes(root: surroundings.root)
    log = surroundings.log
  }

  /// The active single user of this email; nil for an unknown, not yet activated or switched-off
  /// one and for a third party's email, in one query all the same.
  ///
  /// - Throws: 503 if the database is away.
  package func activeSingleUser(
    _ email: EmailAddress
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: email), kind: .singleUser))
  }

  /// The active single user of this fiscal code, as by email.
  ///
  /// - Throws: 503 if the database is away.
  package func activeSingleUser(
    _ fiscalCode: FiscalCode
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: fiscalCode), kind: .singleUser))
  }

  /// The third party of this email; nil for one that is unknown or not activated, and for a
  /// person's email.
  ///
  /// - Throws: 503 if the database is away.
  package func activeThirdParty(
    _ email: EmailAddress
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: email), kind: .thirdParty))
  }

  /// The third party of this P.IVA, as by email.
  ///
  /// - Throws: 503 if the database is away.
  package func activeThirdParty(
    _ vatNumber: VATNumber
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: vatNumber), kind: .thirdParty))
  }

  /// Who these third parties are, in one query; those that are gone or can't be read are left out.
  ///
  /// - Throws: 503 if the database or that of the keys is away.
  package func thirdParties(
    _ accounts: Set<AccountID>
  ) async throws(ApplicationError) -> [AccountID: ThirdParty] {
    guard !accounts.isEmpty else { return [:] }
    let rows = try await database.rows(ThirdParties(accounts: accounts.sorted()))
    let keys = try await keys.keys(of: rows.map(\.account))
    var found: [AccountID: ThirdParty] = [:]
    for row in rows {
      guard let key = keys[row.account] else { continue }
      do throws(ApplicationError) {
        let opened = try row.sealed.open(ThirdPartyProfile.self, of: row.account, under: key)
        found[row.account] = ThirdParty(opened)
      } catch {
        log.failure(
          "read company profile failed", error, .number("account_id", row.account.rawValue))
      }
    }
    return found
  }
}

/// A company as others see it.
package struct ThirdParty: Sendable, Equatable {
  /// Its email.
  package let email: String
  /// The eleven digits of its P.IVA.
  package let vatNumber: String
  /// Its name, as it writes it.
  package let companyName: String
  /// What it says of itself.
  package let companyDescription: String

  /// What stands for a company whose account was deleted, or for its email, P.IVA and name.
  package static let gone = ThirdParty(
    email: CompanyName.ofDeletedAccounts, vatNumber: CompanyName.ofDeletedAccounts,
    companyName: CompanyName.ofDeletedAccounts, companyDescription: "")

  private init(
    email: String, vatNumber: String, companyName: String, companyDescription: String
  ) {
    self.email = email
    self.vatNumber = vatNumber
    self.companyName = companyName
    self.companyDescription = companyDescription
  }

  init(_ account: OpenedAccount<ThirdPartyProfile>) {
    email = account.email
    vatNumber = account.identity
    companyName = account.profile.companyName
    companyDescription = account.profile.description
  }
}
