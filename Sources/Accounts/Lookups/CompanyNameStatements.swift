import Cryptography
import Domain
import Postgres

/// Companies whose names are not in the index, or are by the letters of an older version, locked to
/// the end of the transaction.
struct LockCompaniesToIndex: Statement {
  typealias Row = ThirdParties.Row
  static let sql: SQL<Self> = """
    SELECT account_id, sealed_email, sealed_identity, sealed_profile
      FROM data4help.accounts
     WHERE kind = 2
       AND state = 2
       AND (NOT name_is_indexed OR name_folding < 1)
     ORDER BY account_id
     LIMIT \(\.limit)
       FOR NO KEY UPDATE SKIP LOCKED
    """
  static let columns = ThirdParties.columns
  let limit: Int
}

struct DeleteCompanyNamePrefixes: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.company_name_prefixes
     WHERE account_id = ANY (\(\.accounts))
    """
  let accounts: [AccountID]
}

struct InsertCompanyNamePrefixes: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.company_name_prefixes (prefix, letters, account_id)
    SELECT prefix, letters, account_id
      FROM unnest(\(\.prefixes), \(\.letters), \(\.accounts))
             AS named (prefix, letters, account_id)
    """
  private(set) var prefixes: [BlindValue] = []
  private(set) var letters: [Int16] = []
  private(set) var accounts: [AccountID] = []

  mutating func append(_ prefix: BlindValue, _ letters: Int, of account: AccountID) {
    prefixes.append(prefix)
    self.letters.append(Int16(clamping: letters))
    accounts.append(account)
  }
}

/// Reserves the names of companies under the hashes of this version, in the order of the primary
/// key.
///
/// A name that another account holds stays with that account: two older companies may have names
/// that now count as one, and both keep them.
struct HoldNames: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.account_identifiers (blind, account_id)
    SELECT named.blind, named.account_id
      FROM unnest(\(\.blinds), \(\.accounts)) AS named (blind, account_id)
     ORDER BY named.blind, named.account_id
        ON CONFLICT (blind) DO NOTHING
    """
  private(set) var blinds: [BlindValue] = []
  private(set) var accounts: [AccountID] = []

  mutating func append(_ blind: BlindValue, of account: AccountID) {
    blinds.append(blind)
    accounts.append(account)
  }
}

struct NoteNamesIndexed: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET name_is_indexed = true, name_folding = 1
     WHERE account_id = ANY (\(\.accounts))
    """
  let accounts: [AccountID]
}

/// Marks a renamed company, so that the worker indexes its name again: also after a process of an
/// older version has, which does not change `name_folding`.
struct NoteNameChanged: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET name_is_indexed = false, name_folding = 0
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// The activated companies whose name has a word with this prefix, the shortest names first.
struct CompaniesByPrefix: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.company_name_prefixes
      JOIN data4help.accounts USING (account_id)
     WHERE prefix = \(\.prefix)
       AND kind = 2
       AND state = 2
     ORDER BY letters, account_id
     LIMIT \(\.limit)
    """
  let prefix: BlindValue
  let limit: Int
}
