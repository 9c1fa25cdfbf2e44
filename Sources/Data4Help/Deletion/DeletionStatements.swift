import Bytes
import Domain
import Postgres
import Sharing
import Time

/// The statements of deleting accounts, for the check against the schema.
package enum DeletionStatements {
  /// The statements of the data.
  package static let all: [any Statement.Type] = [
    LockAccountToDelete.self, LockRequestsOfAccount.self, EndRequestsOfAccount.self,
    DeleteAccount.self, DeleteHealthData.self, DeleteStaged.self, DeleteNotices.self,
    DeleteThirdPartyRows.self, AccountsWithRows.self, CalledEmergency.self,
  ]
  /// The statements of the keys' database.
  package static let ofKeys: [any Statement.Type] = [
    EnterDeletion.self, DeletionsSince.self, DeletionsWithKey.self,
  ]
}

/// Any emergency of a person with a call and without an end. The hospital's view of it would be
/// deleted with the account, and the hospital would not be notified.
struct CalledEmergency: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    SELECT emergency_id
      FROM data4help.emergencies
     WHERE account_id = \(\.account)
       AND stage IN (4, 5)
     LIMIT 1
    """
  let account: AccountID
}

/// Adds a line to the ledger; the first of an account counts.
struct EnterDeletion: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO deletions (account_id, deleted_at)
    VALUES (\(\.account), \(\.at))
        ON CONFLICT (account_id) DO NOTHING
    """
  let account: AccountID
  let at: Instant
}

/// Accounts of the ledger from a time on, page by page. By the primary key: costs the whole ledger.
struct DeletionsSince: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM deletions
     WHERE deleted_at >= \(\.since)
       AND account_id > \(\.after)
     ORDER BY account_id
     LIMIT \(\.limit)
    """
  let since: Instant
  let after: AccountID
  let limit: Int
}

/// Accounts of the ledger whose key still exists: a crash interrupted the deletion.
struct DeletionsWithKey: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM deletions
      JOIN account_keys USING (account_id)
     LIMIT 1000
    """
}

/// Those of these accounts with any rows in the data: six index look-ups for each.
struct AccountsWithRows: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM unnest(\(\.accounts)) AS asked (account_id)
     WHERE EXISTS (SELECT FROM data4help.accounts AS a WHERE a.account_id = asked.account_id)
        OR EXISTS (SELECT FROM data4help.sample_accounts AS a
                    WHERE a.account_id = asked.account_id)
        OR EXISTS (SELECT FROM data4help.imports AS a WHERE a.account_id = asked.account_id)
        OR EXISTS (SELECT FROM data4help.notice_heads AS a
                    WHERE a.account_id = asked.account_id)
        OR EXISTS (SELECT FROM data4help.third_party_sequences AS a
                    WHERE a.third_party_id = asked.account_id)
        OR EXISTS (SELECT FROM data4help.group_requests AS a
                    WHERE a.third_party_id = asked.account_id)
    """
  let accounts: [AccountID]
}

/// Locks an account before its deletion: logins and everything that refers to it wait, and then
/// find no account.
struct LockAccountToDelete: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    SELECT account_id
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       FOR UPDATE
    """
  let account: AccountID
}

/// All requests from or about an account, locked against every change and every delivery. By the
/// indexes on both sides.
struct LockRequestsOfAccount: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE account_id = \(\.account)
        OR third_party_id = \(\.account)
     ORDER BY request_id
       FOR UPDATE
    """
  static let columns = SingleRequestRow.columns
  let account: AccountID
}

/// Ends all requests from or about an account: unanswered ones expire, downloads end, and the
/// stored texts that named the person, and the run, are removed.
struct EndRequestsOfAccount: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.single_requests
       SET status = CASE status WHEN 1 THEN 4 WHEN 2 THEN 5 WHEN 6 THEN 5 ELSE status END,
           answer_by = CASE status WHEN 1 THEN \(\.now) ELSE answer_by END,
           ended_at = CASE WHEN status IN (2, 6) THEN \(\.now) ELSE ended_at END,
           end_reason = CASE
             WHEN status IN (2, 6) OR status = 5 AND end_reason IN (2, 3) THEN 5
             ELSE end_reason END,
           sealed_addressee = '',
           run_id = CASE WHEN account_id <> \(\.account) THEN run_id END
     WHERE account_id = \(\.account)
        OR third_party_id = \(\.account)
    """
  let account: AccountID
  let now: Instant
}

/// Removes the account with everything that refers to it, and frees its email, its fiscal code or
/// P.IVA and its company name.
///
/// Logins lock their failures and then the account, so this does not wait for locked failures: they
/// stay, like those of an unknown email, until they are old.
struct DeleteAccount: Statement {
  static let sql: SQL<Self> = """
    WITH identifiers AS (
           DELETE FROM data4help.account_identifiers WHERE account_id = \(\.account)
           RETURNING blind),
         idle AS (
           SELECT email_blind
             FROM data4help.login_failures
            WHERE email_blind IN (SELECT blind FROM identifiers)
              FOR UPDATE SKIP LOCKED),
         failures AS (
           DELETE FROM data4help.login_failures
            WHERE email_blind IN (SELECT email_blind FROM idle))
    DELETE FROM data4help.accounts WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Removes samples and data derived from them under the account's number: ranges of the primary
/// keys.
struct DeleteHealthData: Statement {
  static let sql: SQL<Self> = """
    WITH samples AS (
           DELETE FROM data4help.chunks WHERE account_id = \(\.account)),
         dirty AS (
           DELETE FROM data4help.month_dirty WHERE account_id = \(\.account)),
         cells AS (
           DELETE FROM data4help.last_cells WHERE account_id = \(\.account))
    DELETE FROM data4help.sample_accounts WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Removes imports with their staged data.
struct DeleteStaged: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.imports WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Removes the account's notices.
struct DeleteNotices: Statement {
  static let sql: SQL<Self> = """
    WITH notices AS (
           DELETE FROM data4help.notices WHERE account_id = \(\.account))
    DELETE FROM data4help.notice_heads WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Removes the sequence and the group requests of a third party; a person has neither.
struct DeleteThirdPartyRows: Statement {
  static let sql: SQL<Self> = """
    WITH entries AS (
           DELETE FROM data4help.third_party_log WHERE third_party_id = \(\.account)),
         groups AS (
           DELETE FROM data4help.group_requests WHERE third_party_id = \(\.account)),
         payments AS (
           DELETE FROM data4help.payments WHERE third_party_id = \(\.account))
    DELETE FROM data4help.third_party_sequences WHERE third_party_id = \(\.account)
    """
  let account: AccountID
}
