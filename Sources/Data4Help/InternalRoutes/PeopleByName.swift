import Accounts
import Cryptography
import Domain
import InternalAPI
import Operations
import Postgres
import ServiceKit

/// Finds the people among some accounts who have the full name that a spectator entered (RUN-7).
///
/// Names are sealed, so keyed hashes are compared. The hash of a person is computed when a query
/// first includes the person, and removed when the profile changes: only people who allow others to
/// find them by name have one (decision 0034).
struct PeopleByName: Sendable {
  private let database: Database
  private let accountKeys: AccountKeys
  private let log: Log
  private let index: BlindIndex

  init(database: Database, accountKeys: AccountKeys, root: RootSecret, log: Log) {
    self.database = database
    self.accountKeys = accountKeys
    self.log = log
    index = BlindIndex(.fullName, root: root)
  }

  /// The active people of a query who have its name.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func find(_ question: NameQuestion) async throws(ApplicationError) -> PeopleOfName {
    let sought = blind(question.name.text)
    let rows = try await database.rows(
      PeopleNamed(accounts: question.accounts, blind: sought))
    let missing = rows.filter(\.lacksHash).map(\.account)
    let hashed = try await addHashes(of: missing)
    return PeopleOfName(
      rows.filter { $0.lacksHash ? hashed[$0.account] == sought : true }.map(\.account))
  }

  private func blind(_ name: String) -> BlindValue {
    index.value(of: FullName.searchText(of: name))
  }

  /// Stores the hashes of people who have none; a profile that can't be read has none.
  private func addHashes(
    of accounts: [AccountID]
  ) async throws(ApplicationError) -> [AccountID: BlindValue] {
    guard !accounts.isEmpty else { return [:] }
    let rows = try await database.rows(KnownAccounts(accounts: accounts))
    let keys = try await accountKeys.keys(of: rows.map(\.account))
    var hashes: [AccountID: BlindValue] = [:]
    var storing = StoreNameHashes()
    for row in rows {
      guard let key = keys[row.account], let name = name(of: row, under: key) else { continue }
      let hash = blind(name)
      hashes[row.account] = hash
      storing.append(hash, of: row)
    }
    guard !hashes.isEmpty else { return [:] }
    _ = try await database.effect(storing)
    return hashes
  }

  /// Nil for a profile that can't be read, which is logged.
  private func name(of row: KnownAccounts.Row, under key: SealingKey) -> String? {
    do throws(ApplicationError) {
      return try row.sealed.open(SingleUserProfile.self, of: row.account, under: key)
        .profile.fullName
    } catch {
      log.failure(
        "read name of person failed", error, .number("account_id", row.account.rawValue))
      return nil
    }
  }
}

/// The active people among some accounts who have a name, and those whose name has no hash yet, or
/// one by the letters of an older version. By the primary key.
struct PeopleNamed: Statement {
  struct Row: Sendable {
    let account: AccountID
    let lacksHash: Bool
  }
  static let sql: SQL<Self> = """
    SELECT account_id, full_name_blind IS NULL OR name_folding < 1
      FROM data4help.accounts
     WHERE account_id = ANY (\(\.accounts))
       AND kind = 1
       AND state = 2
       AND (full_name_blind IS NULL OR name_folding < 1 OR full_name_blind = \(\.blind))
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
  let blind: BlindValue
}

/// Stores hashes of names, each if the profile is still the one that it was computed from.
struct StoreNameHashes: Statement {
  static let sql: SQL<Self> = """
    WITH locked AS (
      SELECT account_id
        FROM data4help.accounts
       WHERE account_id = ANY (\(\.accounts))
       ORDER BY account_id
         FOR NO KEY UPDATE)
    UPDATE data4help.accounts AS account
       SET full_name_blind = named.blind, name_folding = 1
      FROM unnest(\(\.accounts), \(\.blinds), \(\.profiles)) AS named (account_id, blind, profile)
      JOIN locked ON locked.account_id = named.account_id
     WHERE account.account_id = named.account_id
       AND account.sealed_profile = named.profile
    """
  private(set) var accounts: [AccountID] = []
  private(set) var blinds: [BlindValue] = []
  private(set) var profiles: [[UInt8]] = []

  mutating func append(_ blind: BlindValue, of row: KnownAccounts.Row) {
    accounts.append(row.account)
    blinds.append(blind)
    profiles.append(row.sealed.profile)
  }
}
