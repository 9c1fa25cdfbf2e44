import Cryptography
import Domain
import Operations
import Postgres
import ServiceKit

/// Finds accounts and describes third parties for the rest of Data4Help.
package struct AccountDirectory: Sendable {
  private let database: Database
  private let keys: AccountKeys
  private let indexes: AccountIndexes
  private let log: Log

  /// The accounts of this database.
  package init(database: Database, accountKeys: AccountKeys, root: RootSecret, log: Log) {
    self.database = database
    keys = accountKeys
    indexes = AccountIndexes(root: root)
    self.log = log
  }

  /// The active single user of this email. Nil if the account is unknown, not yet activated or
  /// deactivated, or if it is a third party; always one query.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func activeSingleUser(
    _ email: EmailAddress
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: email), kind: .singleUser))
  }

  /// The active single user of this fiscal code, as by email.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func activeSingleUser(
    _ fiscalCode: FiscalCode
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: fiscalCode), kind: .singleUser))
  }

  /// The third party of this email; nil if it is unknown or not activated, or if the email is a
  /// person's.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func activeThirdParty(
    _ email: EmailAddress
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: email), kind: .thirdParty))
  }

  /// The third party of this P.IVA, as by email.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  package func activeThirdParty(
    _ vatNumber: VATNumber
  ) async throws(ApplicationError) -> AccountID? {
    try await database.row(ActiveHolder(blind: indexes.value(of: vatNumber), kind: .thirdParty))
  }

  /// The descriptions of these third parties, in one query; those that were deleted or can't be
  /// read are left out.
  ///
  /// - Throws: `unavailable` if the database or that of the keys is unavailable.
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
  /// Its name, as the company spells it.
  package let companyName: String
  /// The company's description of itself.
  package let companyDescription: String

  /// Replaces a company whose account was deleted, and its email, P.IVA and name.
  package static let deleted = ThirdParty(
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
