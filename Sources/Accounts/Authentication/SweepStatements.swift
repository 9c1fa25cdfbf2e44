import Domain
import Postgres
import Time

struct LockAbandonedRegistrations: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.begun_registrations
     WHERE begun_at <= \(\.before)
     LIMIT 100
       FOR UPDATE SKIP LOCKED
    """
  let before: Instant
}

struct ForgetAbandonedRegistrations: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.begun_registrations
     WHERE account_id = ANY (\(\.accounts))
    """
  let accounts: [AccountID]
}

struct LockExpiredRegistrations: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.accounts
     WHERE state = 1
       AND registered_at <= \(\.before)
     LIMIT 100
       FOR UPDATE SKIP LOCKED
    """
  let before: Instant
}

/// Removes accounts that were never activated, with those of their reservations that no other
/// account has taken.
struct DeleteExpiredRegistrations: Statement {
  static let sql: SQL<Self> = """
    WITH identifiers AS (
           DELETE FROM data4help.account_identifiers
            WHERE account_id = ANY (\(\.accounts)) AND reserved_until IS NOT NULL)
    DELETE FROM data4help.accounts
     WHERE account_id = ANY (\(\.accounts))
       AND state = 1
    """
  let accounts: [AccountID]
}

struct ForgetOldLoginFailures: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.login_failures
     WHERE last_at <= \(\.before)
    """
  let before: Instant
}
