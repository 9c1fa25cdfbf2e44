import Cryptography
import Domain
import Postgres
import Time

/// Reserves the next numbers for notices to these accounts, one for each occurrence of an account.
struct ReserveNoticeNumbers: Statement {
  struct Row: Sendable {
    let account: AccountID
    /// The first of the numbers.
    var first: Int64
    let mailedKinds: Int16
  }
  static let sql: SQL<Self> = """
    WITH needed AS (
      SELECT account_id, count(*)::int8 AS count
        FROM unnest(\(\.accounts)) AS asked (account_id)
       GROUP BY account_id),
    given AS (
      INSERT INTO data4help.notice_heads AS head (account_id, count)
      SELECT account_id, count
        FROM needed
       ORDER BY account_id
          ON CONFLICT (account_id) DO UPDATE
         SET count = head.count + excluded.count
      RETURNING head.account_id, head.count, head.mailed_kinds)
    SELECT given.account_id, given.count - needed.count + 1, given.mailed_kinds
      FROM given
      JOIN needed USING (account_id)
    """
  static let columns = Columns(Row.init)
  let accounts: [AccountID]
}

/// Writes notices under their reserved numbers, and queues them for the browsers that receive them
/// by push: one look-up by the primary key of subscriptions for each notice. A subscription with
/// many queued messages, whose push service does not accept them, gets only alarms. One that is
/// being deleted gets none: waiting for it would delay an emergency, and the foreign key would then
/// refuse all notices of the statement.
struct InsertNotices: Statement {
  static let sql: SQL<Self> = """
    WITH written AS (
      INSERT INTO data4help.notices (
             account_id, number, kind, created_at, mail_at, sealed_payload)
      SELECT account_id, number, kind, \(\.createdAt),
             CASE WHEN is_mailed THEN mail_at END, sealed_payload
        FROM unnest(\(\.accounts), \(\.numbers), \(\.kinds), \(\.areMailed), \(\.mailTimes),
                    \(\.payloads))
               AS given (account_id, number, kind, is_mailed, mail_at, sealed_payload)
      RETURNING account_id, number, kind)
    INSERT INTO data4help.push_messages (
           account_id, subscription_id, notice, is_urgent, next_attempt_at, expires_at)
    SELECT account_id, subscription_id, number, kind = 6,
           CASE WHEN kind = 6 THEN \(\.createdAt)::timestamptz ELSE \(\.pushedAt) END,
           CASE WHEN kind = 6 THEN \(\.alarmExpiresAt)::timestamptz ELSE \(\.expiresAt) END
      FROM written
      JOIN data4help.push_subscriptions AS subscription USING (account_id)
     WHERE subscription.kinds & (1 << (kind - 1)) <> 0
       AND (kind = 6
            OR (SELECT count(*)
                  FROM data4help.push_messages AS queued
                 WHERE queued.account_id = subscription.account_id
                   AND queued.subscription_id = subscription.subscription_id)
               < \(\.queuedMax))
       FOR KEY SHARE OF subscription SKIP LOCKED
    """
  let createdAt: Instant
  let pushedAt: Instant
  let alarmExpiresAt: Instant
  let expiresAt: Instant
  let queuedMax = PushQueue.countMax
  private(set) var accounts: [AccountID] = []
  private(set) var numbers: [Int64] = []
  private(set) var kinds: [NoticeKind] = []
  private(set) var areMailed: [Bool] = []
  private(set) var mailTimes: [Instant] = []
  private(set) var payloads: [[UInt8]] = []

  init(createdAt: Instant) {
    self.createdAt = createdAt
    pushedAt = createdAt + PushQueue.pause
    alarmExpiresAt = createdAt + PushQueue.alarmKeptFor
    expiresAt = createdAt + PushQueue.noticeKeptFor
  }

  mutating func append(
    _ notice: Notice, number: Int64, isMailed: Bool, mailAt: Instant, under key: SealingKey
  ) {
    accounts.append(notice.account)
    numbers.append(number)
    kinds.append(notice.kind)
    areMailed.append(isMailed)
    mailTimes.append(mailAt)
    payloads.append(
      key.seal(notice.payload.span, for: Notices.context(notice.account, number)))
  }
}

/// A stored notice.
struct NoticeRow: Sendable {
  let number: Int64
  let kind: NoticeKind
  let createdAt: Instant
  let isRead: Bool
  let sealedPayload: [UInt8]

  static let columns = Columns(NoticeRow.init)
}

/// A page of an account's notices, newest first.
struct NewestNotices: Statement {
  typealias Row = NoticeRow
  static let sql: SQL<Self> = """
    SELECT number, kind, created_at, is_read, sealed_payload
      FROM data4help.notices
     WHERE account_id = \(\.account)
       AND number < \(\.before)
     ORDER BY number DESC
     LIMIT \(\.limit)
    """
  static let columns = NoticeRow.columns
  let account: AccountID
  let before: Int64
  let limit: Int
}

/// The number of unread notices of an account, and the kinds it wants by mail.
struct NoticeSummary: Statement {
  struct Row: Sendable {
    let unread: Int64
    let mailedKinds: Int16
  }
  static let sql: SQL<Self> = """
    SELECT (SELECT count(*) FROM data4help.notices WHERE account_id = \(\.account) AND NOT is_read),
           coalesce(
             (SELECT mailed_kinds FROM data4help.notice_heads WHERE account_id = \(\.account)),
             127::int2)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

/// Marks notices of an account as read; ignores unknown numbers.
struct ReadNotices: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.notices
       SET is_read = true, mail_at = NULL
     WHERE account_id = \(\.account)
       AND number = ANY (\(\.numbers))
       AND NOT is_read
    """
  let account: AccountID
  let numbers: [Int64]
}

/// Sets the kinds that an account gets by mail.
struct ChooseMailedKinds: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.notice_heads (account_id, count, mailed_kinds)
    VALUES (\(\.account), 0, \(\.kinds))
        ON CONFLICT (account_id) DO UPDATE
       SET mailed_kinds = excluded.mailed_kinds
    """
  let account: AccountID
  let kinds: Int16
}

/// The notices after positions, a few for each, in the order of the positions and numbers.
package struct NoticesAfter: Statement {
  /// A notice, as stored.
  package struct Row: Sendable {
    /// The index of the position.
    package let input: InputIndex
    package let number: Int64
    package let kind: NoticeKind
    package let createdAt: Instant
    package let isRead: Bool
    package let sealedPayload: [UInt8]
    /// The reader's choice.
    package let locale: StoredLocale
  }
  package static let sql: SQL<Self> = """
    SELECT asked.place, notice.number, notice.kind, notice.created_at, notice.is_read,
           notice.sealed_payload, \(fragment: StoredLocale.columnList)
      FROM unnest(\(\.accounts), \(\.after))
             WITH ORDINALITY AS asked (account_id, after, place)
     CROSS JOIN LATERAL (
             SELECT number, kind, created_at, is_read, sealed_payload
               FROM data4help.notices
              WHERE notices.account_id = asked.account_id
                AND notices.number > asked.after
              ORDER BY number
              LIMIT \(\.countMax)) AS notice
      LEFT JOIN data4help.accounts AS account ON account.account_id = asked.account_id
     ORDER BY asked.place, notice.number
    """
  package static let columns = Columns {
    (
      input: InputIndex, number: Int64, kind: NoticeKind, createdAt: Instant, isRead: Bool,
      payload: [UInt8], language: Language?, timeZone: String?
    ) in
    Row(
      input: input, number: number, kind: kind, createdAt: createdAt, isRead: isRead,
      sealedPayload: payload, locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let accounts: [AccountID]
  let after: [Int64]
  let countMax: Int64

  /// Reads at most `countMax` notices of each account after its number.
  package init(accounts: [AccountID], after: [Int64], countMax: Int64) {
    self.accounts = accounts
    self.after = after
    self.countMax = countMax
  }
}

/// Stores the position up to which streams delivered notices, so that no mail repeats them.
package struct NotePushed: Statement {
  package static let sql: SQL<Self> = """
    UPDATE data4help.notice_heads AS head
       SET pushed = greatest(head.pushed, taken.number)
      FROM (SELECT account_id, max(number) AS number
              FROM unnest(\(\.accounts), \(\.numbers)) AS given (account_id, number)
             GROUP BY account_id) AS taken
     WHERE head.account_id = taken.account_id
    """
  let accounts: [AccountID]
  let numbers: [Int64]

  /// Stores the numbers of the last notices on streams, by account.
  package init(accounts: [AccountID], numbers: [Int64]) {
    self.accounts = accounts
    self.numbers = numbers
  }
}
