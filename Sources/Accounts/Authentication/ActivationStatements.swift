import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

struct InsertActivation: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.activations (token_hash, account_id, issued_at, valid_until, is_parents)
    VALUES (\(\.token), \(\.account), \(\.issuedAt), \(\.validUntil), \(\.isParents))
    """
  let token: TokenHash
  let account: AccountID
  let issuedAt: Instant
  let validUntil: Instant
  let isParents: Bool
}

/// Stores a new link for an account that is not activated, and returns when the link expires. No
/// row without such an account, or if too many links were sent. Locks the account against removal.
struct ReissueActivation: Statement {
  struct Row: Sendable {
    let account: AccountID
    let until: Instant
    let locale: StoredLocale
  }
  static let sql: SQL<Self> = """
    WITH issued AS (
      INSERT INTO data4help.activations (token_hash, account_id, issued_at, valid_until)
      SELECT \(\.token), account.account_id, \(\.now), held.reserved_until
        FROM data4help.account_identifiers AS held
        JOIN data4help.accounts AS account USING (account_id)
       WHERE held.blind = \(\.blind)
         AND held.reserved_until > \(\.now)
         AND account.state = 1
         AND account.needs_owner
         AND (SELECT count(*) < \(\.linksMax) AND max(sent.issued_at) <= \(\.sentBefore)
                FROM data4help.activations AS sent
               WHERE sent.account_id = account.account_id
                 AND NOT sent.is_parents)
         FOR KEY SHARE OF account
      RETURNING account_id, valid_until)
    SELECT account_id, issued.valid_until, \(fragment: StoredLocale.columnList)
      FROM issued
      JOIN data4help.accounts AS account USING (account_id)
    """
  static let columns = Columns {
    (account: AccountID, until: Instant, language: Language?, timeZone: String?) in
    Row(
      account: account, until: until,
      locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let token: TokenHash
  let blind: BlindValue
  let now: Instant
  let sentBefore: Instant
  let linksMax: Int
}

/// Finds the account that a link was mailed for and locks it until the commit.
struct LockActivation: Statement {
  struct Row: Sendable {
    let account: AccountID
    let kind: StoredKind
    let state: AccountState
    let validUntil: Instant
    let isParents: Bool
    let needsOwner: Bool
    let needsParent: Bool
  }
  static let sql: SQL<Self> = """
    SELECT account.account_id, account.kind, account.state, link.valid_until,
           link.is_parents, account.needs_owner, account.needs_parent
      FROM data4help.activations AS link
      JOIN data4help.accounts AS account USING (account_id)
     WHERE link.token_hash = \(\.token)
       FOR NO KEY UPDATE OF account
    """
  static let columns = Columns(Row.init)
  let token: TokenHash
}

struct ActivateAccount: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET state = 2, activated_at = \(\.at), needs_owner = false, needs_parent = false
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let at: Instant
}

/// Stores that one of the two links of a child's account was followed (ACC-13).
struct ConfirmRegistration: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET needs_owner = needs_owner AND \(\.byParent),
           needs_parent = needs_parent AND NOT \(\.byParent)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let byParent: Bool
}

/// Makes the one-day reservations of an account permanent; one row each, none for an identifier
/// that another account has taken.
struct KeepIdentifiers: Statement {
  typealias Row = BlindValue
  static let sql: SQL<Self> = """
    UPDATE data4help.account_identifiers
       SET reserved_until = NULL
     WHERE account_id = \(\.account)
       AND reserved_until IS NOT NULL
    RETURNING blind
    """
  let account: AccountID
}
