import Bytes
import Cryptography
import Postgres
import Time

// The statements of the mail queue. The search path selects the table, because each service has its
// own.

/// Inserts mails, one row each by the primary key. Unwanted mails are stored as already sent.
struct EnqueueMails: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO mails (mail_id, sealed_message, queued_at, next_attempt_at, sent_at, account_id,
           request_id)
    SELECT mail_id, sealed_message, written_at, written_at,
           CASE WHEN NOT is_wanted THEN written_at END, account_id, request_id
      FROM unnest(\(\.ids), \(\.sealed), \(\.times), \(\.areWanted), \(\.accounts),
                  \(\.requests))
             AS given (mail_id, sealed_message, written_at, is_wanted, account_id, request_id)
    """
  private(set) var ids: [UniversalID] = []
  private(set) var sealed: [[UInt8]] = []
  private(set) var times: [Instant] = []
  private(set) var areWanted: [Bool] = []
  private(set) var accounts: [Int64?] = []
  private(set) var requests: [UniversalID?] = []

  /// Adds a mail. An unwanted mail is sealed too, so that it takes the same time.
  mutating func append(
    _ mail: MailMessage, of owner: MailOwner, if isWanted: Bool, under key: SealingKey
  ) {
    let bytes = mail.sealed(under: key)
    ids.append(mail.id)
    sealed.append(isWanted ? bytes : [])
    times.append(mail.writtenAt)
    areWanted.append(isWanted)
    accounts.append(owner.account)
    requests.append(owner.request)
  }
}

/// A mail leased by a worker.
struct LeasedMail: Sendable {
  let id: UniversalID
  let sealed: [UInt8]
  let queuedAt: Instant
  let attempts: Int
  let owner: MailOwner
}

/// Leases the mails that have been due longest. They are selected once, before the update: a plan
/// that evaluated the subquery repeatedly would lease more than `countMax`.
struct LeaseMails: Statement {
  typealias Row = LeasedMail
  static let sql: SQL<Self> = """
    WITH due AS MATERIALIZED (
           SELECT mail_id
             FROM mails
            WHERE sent_at IS NULL
              AND failed_at IS NULL
              AND next_attempt_at <= \(\.now)
              AND (leased_until IS NULL OR leased_until <= \(\.now))
            ORDER BY next_attempt_at
            LIMIT \(\.countMax)
              FOR UPDATE SKIP LOCKED)
    UPDATE mails
       SET leased_until = \(\.until), attempts = attempts + 1
      FROM due
     WHERE mails.mail_id = due.mail_id
    RETURNING mails.mail_id, sealed_message, queued_at, attempts, account_id, request_id
    """
  static let columns = Columns {
    (
      id: UniversalID, sealed: [UInt8], queuedAt: Instant, attempts: Int32, account: Int64?,
      request: UniversalID?
    ) in
    LeasedMail(
      id: UniversalID(high: id.high, low: id.low), sealed: sealed, queuedAt: queuedAt,
      attempts: Int(attempts),
      owner: MailOwner(
        account: account, request: request.map { UniversalID(high: $0.high, low: $0.low) }))
  }
  let now: Instant
  let until: Instant
  let countMax: Int
}

struct MarkMailSent: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET sent_at = \(\.at), leased_until = NULL, sealed_message = ''
     WHERE mail_id = \(\.id)
       AND sent_at IS NULL
       AND failed_at IS NULL
    """
  let id: UniversalID
  let at: Instant
}

struct PostponeMail: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET next_attempt_at = \(\.nextAttemptAt), leased_until = NULL, last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: UniversalID
  let lease: Instant
  let nextAttemptAt: Instant
  let error: String
}

/// Returns an interrupted mail to the queue without counting an attempt.
struct ReturnMail: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET next_attempt_at = \(\.nextAttemptAt), leased_until = NULL, attempts = attempts - 1,
           last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: UniversalID
  let lease: Instant
  let nextAttemptAt: Instant
  let error: String
}

struct MarkMailFailed: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET failed_at = \(\.at), leased_until = NULL, sealed_message = '', last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: UniversalID
  let lease: Instant
  let at: Instant
  let error: String
}

/// Removes the mails of an account, and those with data of these requests, from the queue. Uses the
/// indexes on both columns.
package struct DeleteMails: Statement {
  /// The SQL text.
  package static let sql: SQL<Self> = """
    DELETE FROM mails
     WHERE account_id = \(\.account)
        OR request_id = ANY (\(\.requests))
    """
  let account: Int64?
  let requests: [UniversalID]

  /// The mails tied to this account or to one of these requests.
  package init(account: Int64?, requests: [UniversalID]) {
    self.account = account
    self.requests = requests
  }
}

struct ForgetMails: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM mails
     WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL)
       AND coalesce(sent_at, failed_at) <= \(\.before)
    """
  let before: Instant
}

/// Counts the waiting mails by their partial index, which is as long as the queue.
struct CountWaitingMails: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
    """
}

/// The statements of this module, for the schema check.
package enum DeliveryStatements {
  /// Every statement of this module.
  package static let all: [any Statement.Type] = [
    EnqueueMails.self, LeaseMails.self, MarkMailSent.self, PostponeMail.self, ReturnMail.self,
    MarkMailFailed.self, DeleteMails.self, ForgetMails.self, CountWaitingMails.self,
    SealedMailPage.self, StoreResealedMails.self,
  ]
}
