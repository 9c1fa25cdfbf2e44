import Cryptography
import Domain
import Postgres
import ServiceKit

/// Locks accounts against their deletion until the end of the transaction, and returns those that
/// exist. Take this lock before all others of the accounts: a deletion begins with it.
package struct HoldAccounts: Statement {
  /// The number of an account.
  package typealias Row = AccountID
  package static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.accounts
     WHERE account_id = ANY (\(\.accounts))
     ORDER BY account_id
       FOR KEY SHARE
    """
  let accounts: [AccountID]

  /// Locks these accounts.
  package init(accounts: [AccountID]) {
    self.accounts = accounts
  }
}

/// The active account of a kind that has this email, fiscal code or P.IVA.
package struct ActiveHolder: Statement {
  /// The number of an account.
  package typealias Row = AccountID
  package static let sql: SQL<Self> = """
    SELECT account.account_id
      FROM data4help.account_identifiers AS held
      JOIN data4help.accounts AS account USING (account_id)
     WHERE held.blind = \(\.blind)
       AND account.kind = \(\.kind)
       AND account.state = 2
    """
  let blind: BlindValue
  let kind: StoredKind

  /// Finds the account of a kind by a blind index.
  package init(blind: BlindValue, kind: StoredKind) {
    self.blind = blind
    self.kind = kind
  }
}

struct ThirdParties: Statement {
  struct Row: Sendable {
    let account: AccountID
    let sealed: SealedAccount
  }
  static let sql: SQL<Self> = """
    SELECT account_id, sealed_email, sealed_identity, sealed_profile
      FROM data4help.accounts
     WHERE account_id = ANY (\(\.accounts))
       AND kind = 2
       AND state <> 1
    """
  static let columns = Columns {
    (account: AccountID, email: [UInt8], identity: [UInt8], profile: [UInt8]) in
    Row(
      account: account,
      sealed: SealedAccount(email: email, identity: identity, profile: profile))
  }
  let accounts: [AccountID]
}
