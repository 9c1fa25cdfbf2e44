import Cryptography
import Domain
import Postgres
import Time

/// Stores a link and returns the account, if a link may be mailed to this email; the previous link
/// becomes invalid. Locks the account against deletion.
struct IssuePasswordReset: Statement {
  struct Row: Sendable {
    let account: AccountID
    let locale: StoredLocale
  }
  static let sql: SQL<Self> = """
    WITH issued AS (
      INSERT INTO data4help.password_resets AS held
             (account_id, token_hash, email_blind, issued_at, valid_until)
      SELECT account.account_id, \(\.token), index.blind, \(\.now), \(\.until)
        FROM data4help.account_identifiers AS index
        JOIN data4help.accounts AS account USING (account_id)
        LEFT JOIN data4help.password_resets AS sent USING (account_id)
       WHERE index.blind = \(\.blind)
         AND account.state <> 1
         AND (sent.issued_at IS NULL OR sent.issued_at <= \(\.sentBefore))
         FOR KEY SHARE OF account
          ON CONFLICT (account_id) DO UPDATE
         SET token_hash = excluded.token_hash, issued_at = excluded.issued_at,
             valid_until = excluded.valid_until
      RETURNING account_id)
    SELECT account_id, \(fragment: StoredLocale.columnList)
      FROM issued
      JOIN data4help.accounts AS account USING (account_id)
    """
  static let columns = Columns {
    (account: AccountID, language: Language?, timeZone: String?) in
    Row(account: account, locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let token: TokenHash
  let blind: BlindValue
  let now: Instant
  let until: Instant
  let sentBefore: Instant
}

/// The account of a link, if it is still valid. By the index of the hashes.
struct StandingPasswordReset: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.password_resets
     WHERE token_hash = \(\.token)
       AND valid_until > \(\.now)
    """
  let token: TokenHash
  let now: Instant
}

/// Removes a link: it works once.
struct UsePasswordReset: Statement {
  struct Row: Sendable {
    let account: AccountID
    let emailBlind: BlindValue
    let validUntil: Instant
  }
  static let sql: SQL<Self> = """
    DELETE FROM data4help.password_resets
     WHERE token_hash = \(\.token)
    RETURNING account_id, email_blind, valid_until
    """
  static let columns = Columns(Row.init)
  let token: TokenHash
}

struct ForgetPasswordReset: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.password_resets
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}

struct ForgetOldPasswordResets: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.password_resets
     WHERE valid_until <= \(\.now)
    """
  let now: Instant
}
