import Cryptography
import Domain
import Postgres
import ServiceKit
import Time

/// An account that allows a login.
struct LoginAccount: Sendable {
  let account: AccountID
  let kind: StoredKind
  let passwordHash: String
}

/// Everything that a login needs at its start, in one row for known and unknown emails.
struct LoginStart: Statement {
  struct Row: Sendable {
    let loginAfter: Instant?
    let account: LoginAccount?
  }
  static let sql: SQL<Self> = """
    SELECT failure.login_after, account.account_id, account.kind, account.password_hash
      FROM (VALUES (\(\.blind)::bytea)) AS typed (blind)
      LEFT JOIN data4help.login_failures AS failure ON failure.email_blind = typed.blind
      LEFT JOIN data4help.account_identifiers AS held ON held.blind = typed.blind
      LEFT JOIN data4help.accounts AS account
             ON account.account_id = held.account_id AND account.state <> 1
    """
  static let columns = Columns {
    (loginAfter: Instant?, account: AccountID?, kind: StoredKind?, passwordHash: String?) in
    guard let account, let kind, let passwordHash else {
      return Row(loginAfter: loginAfter, account: nil)
    }
    return Row(
      loginAfter: loginAfter,
      account: LoginAccount(account: account, kind: kind, passwordHash: passwordHash))
  }
  let blind: BlindValue
}

/// Returns the number of consecutive wrong passwords; no row while attempts are delayed.
struct CountWrongPassword: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    INSERT INTO data4help.login_failures AS failure (email_blind, wrong_passwords, last_at)
    VALUES (\(\.blind), 1, \(\.at))
        ON CONFLICT (email_blind) DO UPDATE
       SET wrong_passwords = failure.wrong_passwords + 1, last_at = excluded.last_at
     WHERE failure.login_after IS NULL
        OR failure.login_after <= \(\.at)
    RETURNING wrong_passwords
    """
  let blind: BlindValue
  let at: Instant
}

struct SlowLoginsDown: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.login_failures
       SET login_after = \(\.loginAfter)
     WHERE email_blind = \(\.blind)
    """
  let blind: BlindValue
  let loginAfter: Instant
}

struct LockLoginFailures: Statement {
  struct Row: Sendable {
    let loginAfter: Instant?
  }
  static let sql: SQL<Self> = """
    SELECT login_after
      FROM data4help.login_failures
     WHERE email_blind = \(\.blind)
       FOR UPDATE
    """
  static let columns = Columns(Row.init)
  let blind: BlindValue
}

struct ForgetLoginFailures: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.login_failures
     WHERE email_blind = \(\.blind)
    """
  let blind: BlindValue
}

/// Returns the password's hash and locks the account against other logins until the commit.
struct LockLoginAccount: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT password_hash
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       FOR NO KEY UPDATE
    """
  let account: AccountID
}

struct ReplacePasswordHash: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.accounts
       SET password_hash = \(\.hash)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let hash: String
}
