import EventLoop
import Postgres
import Privacy

// The statements of the mail queue. The table is found by the search path: each service has its
// own.

/// Writes mails; one that is not wanted as if it had been sent. A row each by the primary key.
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
  private(set) var ids: [PostgresUUID] = []
  private(set) var sealed: [[UInt8]] = []
  private(set) var times: [WallTime] = []
  private(set) var areWanted: [Bool] = []
  private(set) var accounts: [Int64?] = []
  private(set) var requests: [PostgresUUID?] = []

  /// Adds a mail. One that is not wanted is sealed too, so that it takes the same time.
  mutating func append(
    _ mail: MailMessage, of ties: MailTies, if isWanted: Bool, under key: SealingKey
  ) {
    let bytes = mail.sealed(under: key)
    ids.append(PostgresUUID(high: mail.id.high, low: mail.id.low))
    sealed.append(isWanted ? bytes : [])
    times.append(mail.writtenAt)
    areWanted.append(isWanted)
    accounts.append(ties.account)
    requests.append(ties.request.map { PostgresUUID(high: $0.high, low: $0.low) })
  }
}

/// A mail that a worker holds for a while.
struct LeasedMail: Sendable {
  let id: UniversalID
  let sealed: [UInt8]
  let queuedAt: WallTime
  let attempts: Int
  let ties: MailTies
}

/// Leases the mails that are due longest. They are chosen once, before the update: a plan that
/// asked a subquery again and again would lease more than `countMax`.
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
      id: PostgresUUID, sealed: [UInt8], queuedAt: WallTime, attempts: Int32, account: Int64?,
      request: PostgresUUID?
    ) in
    LeasedMail(
      id: UniversalID(high: id.high, low: id.low), sealed: sealed, queuedAt: queuedAt,
      attempts: Int(attempts),
      ties: MailTies(
        account: account, request: request.map { UniversalID(high: $0.high, low: $0.low) }))
  }
  let now: WallTime
  let until: WallTime
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
  let id: PostgresUUID
  let at: WallTime
}

struct PostponeMail: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET next_attempt_at = \(\.nextAttemptAt), leased_until = NULL, last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: PostgresUUID
  let lease: WallTime
  let nextAttemptAt: WallTime
  let error: String
}

/// Gives back a mail that was broken off: it does not count as an attempt.
struct GiveMailBack: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET next_attempt_at = \(\.nextAttemptAt), leased_until = NULL, attempts = attempts - 1,
           last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: PostgresUUID
  let lease: WallTime
  let nextAttemptAt: WallTime
  let error: String
}

struct MarkMailFailed: Statement {
  static let sql: SQL<Self> = """
    UPDATE mails
       SET failed_at = \(\.at), leased_until = NULL, sealed_message = '', last_error = \(\.error)
     WHERE mail_id = \(\.id)
       AND leased_until = \(\.lease)
    """
  let id: PostgresUUID
  let lease: WallTime
  let at: WallTime
  let error: String
}

/// Removes the mails of an account, and those that hold data of these requests, from the queue. By
/// the indexes on both.
package struct DeleteMails: Statement {
  /// The statement.
  package static let sql: SQL<Self> = """
    DELETE FROM mails
     WHERE account_id = \(\.account)
        OR request_id = ANY (\(\.requests))
    """
  let account: Int64?
  let requests: [PostgresUUID]

  /// The mails with one of these ties.
  package init(account: Int64?, requests: [UniversalID]) {
    self.account = account
    self.requests = requests.map { PostgresUUID(high: $0.high, low: $0.low) }
  }
}

struct ForgetMails: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM mails
     WHERE (sent_at IS NOT NULL OR failed_at IS NOT NULL)
       AND coalesce(sent_at, failed_at) <= \(\.before)
    """
  let before: WallTime
}

/// How many mails wait; by the index of those, which is as long as the queue.
struct CountWaitingMails: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT count(*) FROM mails WHERE sent_at IS NULL AND failed_at IS NULL
    """
}

/// The statements of this module, for comparing them with the schema.
package enum DeliveryStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    EnqueueMails.self, LeaseMails.self, MarkMailSent.self, PostponeMail.self, GiveMailBack.self,
    MarkMailFailed.self, DeleteMails.self, ForgetMails.self, CountWaitingMails.self,
  ]
}
