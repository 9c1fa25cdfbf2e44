import Accounts
import Cryptography
import Domain
import InternalAPI
import Operations
import Postgres
import ServiceKit

/// Identifies accounts for Track4Run, and finds the account of an email or fiscal code (RUN-7).
struct PeopleDirectory: Sendable {
  let database: Database
  let accountKeys: AccountKeys
  let log: Log
  let directory: AccountDirectory

  /// The identities of these accounts; deleted, not activated and unreadable ones are left out.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func people(_ question: PeopleQuestion) async throws(ApplicationError) -> KnownPeople {
    let rows = try await database.rows(KnownAccounts(accounts: question.accounts))
    let keys = try await accountKeys.keys(of: rows.map(\.account))
    var people: [KnownPerson] = []
    for row in rows {
      guard let key = keys[row.account] else { continue }
      do throws(ApplicationError) {
        let identity = try Self.identity(of: row, under: key)
        people.append(KnownPerson(row.account, isActive: row.isActive, identity))
      } catch {
        log.failure(
          "read identity of account failed", error, .number("account_id", row.account.rawValue))
      }
    }
    return KnownPeople(people)
  }

  private static func identity(
    of row: KnownAccounts.Row, under key: SealingKey
  ) throws(ApplicationError) -> KnownPerson.Identity {
    switch row.kind {
    case .singleUser:
      let opened = try row.sealed.open(SingleUserProfile.self, of: row.account, under: key)
      return .singleUser(name: opened.profile.fullName)
    case .thirdParty:
      let opened = try row.sealed.open(ThirdPartyProfile.self, of: row.account, under: key)
      return .thirdParty(
        companyName: opened.profile.companyName, email: opened.email, vatNumber: opened.identity)
    }
  }

  /// The active person of an email or a fiscal code; unknown and inactive people are
  /// indistinguishable.
  ///
  /// - Throws: `unavailable` if the database is unavailable.
  func find(_ question: PersonQuestion) async throws(ApplicationError) -> FoundPerson {
    switch question.known {
    case .email(let email): FoundPerson(try await directory.activeSingleUser(email))
    case .fiscalCode(let code): FoundPerson(try await directory.activeSingleUser(code))
    }
  }

  /// The active company of an email, or no element.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func company(_ question: CompanyQuestion) async throws(ApplicationError) -> KnownPeople {
    guard let account = try await directory.activeThirdParty(question.email) else {
      return KnownPeople([])
    }
    return try await people(PeopleQuestion([account]))
  }
}

/// The identities of activated accounts. By the primary key.
struct KnownAccounts: Statement {
  struct Row: Sendable {
    let account: AccountID
    let kind: AccountKind
    let isActive: Bool
    let sealed: SealedAccount
  }
  static let sql: SQL<Self> = """
    SELECT account_id, kind, state = 2, sealed_email, sealed_identity, sealed_profile
      FROM data4help.accounts
     WHERE account_id = ANY (\(\.accounts))
       AND state <> 1
    """
  static let columns = Columns {
    (
      account: AccountID, kind: StoredKind, isActive: Bool, email: [UInt8], identity: [UInt8],
      profile: [UInt8]
    ) in
    Row(
      account: account, kind: kind.kind, isActive: isActive,
      sealed: SealedAccount(email: email, identity: identity, profile: profile))
  }
  let accounts: [AccountID]
}
