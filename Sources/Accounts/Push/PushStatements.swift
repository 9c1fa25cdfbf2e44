import Bytes
import Cryptography
import Domain
import Postgres
import ServiceKit
import Time
import Webhooks

/// A stored subscription of a browser.
struct PushSubscriptionRow: Sendable {
  let subscription: UniversalID
  let session: TokenHash
  let kinds: Int16
  let sealedEndpoint: [UInt8]
  let createdAt: Instant
}

/// The subscriptions of an account, newest first.
struct PushSubscriptions: Statement {
  typealias Row = PushSubscriptionRow
  static let sql: SQL<Self> = """
    SELECT subscription_id, session_hash, kinds, sealed_endpoint, created_at
      FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
     ORDER BY created_at DESC, subscription_id DESC
    """
  static let columns = Columns(PushSubscriptionRow.init)
  let account: AccountID
}

/// The subscription of an account for a browser; no row for a new one.
struct KnownPushSubscription: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    SELECT subscription_id
      FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
       AND endpoint_blind = \(\.endpoint)
    """
  let account: AccountID
  let endpoint: BlindValue
}

/// Deletes the oldest subscriptions of an account for other browsers, with their queued messages,
/// and keeps `othersMax`. The account is locked.
struct DeleteOldestPushSubscriptions: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
       AND subscription_id IN (
             SELECT subscription_id
               FROM data4help.push_subscriptions
              WHERE account_id = \(\.account)
                AND endpoint_blind <> \(\.endpoint)
              ORDER BY created_at DESC, subscription_id DESC
             OFFSET \(\.othersMax))
    """
  let account: AccountID
  let endpoint: BlindValue
  let othersMax: Int64
}

/// Deletes the subscriptions of other accounts for a browser, whose user has changed. By the index
/// on the hash.
struct TakeOverPushEndpoint: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_subscriptions
     WHERE endpoint_blind = \(\.endpoint)
       AND account_id <> \(\.account)
    """
  let account: AccountID
  let endpoint: BlindValue
}

/// Stores a subscription, or replaces it. The account is locked.
struct StorePushSubscription: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.push_subscriptions (
           account_id, subscription_id, endpoint_blind, session_hash, kinds, sealed_endpoint,
           created_at)
    VALUES (\(\.account), \(\.subscription), \(\.endpoint), \(\.session), \(\.kinds),
            \(\.sealedEndpoint), \(\.now))
        ON CONFLICT (account_id, subscription_id) DO UPDATE
       SET session_hash = excluded.session_hash, kinds = excluded.kinds,
           sealed_endpoint = excluded.sealed_endpoint
    """
  let account: AccountID
  let subscription: UniversalID
  let endpoint: BlindValue
  let session: TokenHash
  let kinds: Int16
  let sealedEndpoint: [UInt8]
  let now: Instant
}

/// Deletes a subscription with its queued messages; no row for an unknown one.
struct DeletePushSubscription: Statement {
  typealias Row = UniversalID
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
       AND subscription_id = \(\.subscription)
    RETURNING subscription_id
    """
  let account: AccountID
  let subscription: UniversalID
}

/// Deletes the subscriptions that a session stored, with its logout.
struct DeletePushSubscriptionsOfSession: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
       AND session_hash = \(\.session)
    """
  let account: AccountID
  let session: TokenHash
}

/// Deletes the subscriptions of an account with their queued messages, with a change of the
/// password: a thief may have stored any of them. The account is locked.
struct DeletePushSubscriptions: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_subscriptions
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}

/// Queues the call of a hospital for its subscriptions, except those that are being deleted.
package struct PushHospitalCall: Statement {
  package static let sql: SQL<Self> = """
    INSERT INTO data4help.push_messages (
           account_id, subscription_id, is_urgent, next_attempt_at, expires_at)
    SELECT account_id, subscription_id, true, \(\.now), \(\.expiresAt)
      FROM data4help.push_subscriptions
     WHERE account_id = \(\.hospital)
       FOR KEY SHARE SKIP LOCKED
    """
  let hospital: AccountID
  let now: Instant
  let expiresAt: Instant

  /// A call that is queued now, and is not sent later than `PushQueue.callKeptFor`.
  package init(hospital: AccountID, now: Instant) {
    self.hospital = hospital
    self.now = now
    expiresAt = now + PushQueue.callKeptFor
  }
}

/// Leases due messages until a time, those that have been due longest first, with what their texts
/// need. By the index of their times.
struct LeasePushMessages: Statement {
  struct Row: Sendable {
    let account: AccountID
    let subscription: UniversalID
    let message: UniversalID
    /// Nil for the call of a hospital.
    let notice: PushedNotice?
    let attempts: Int32
    let expiresAt: Instant
    let sealedEndpoint: [UInt8]
    let accountKind: StoredKind
    let locale: StoredLocale
  }
  static let sql: SQL<Self> = """
    WITH due AS MATERIALIZED (
           SELECT account_id, subscription_id, message_id
             FROM data4help.push_messages
            WHERE is_urgent = \(\.isUrgent)
              AND next_attempt_at <= \(\.now)
            ORDER BY next_attempt_at
            LIMIT \(\.countMax)
              FOR UPDATE SKIP LOCKED),
         leased AS (
           UPDATE data4help.push_messages AS message
              SET next_attempt_at = \(\.until), attempts = attempts + 1
             FROM due
            WHERE message.account_id = due.account_id
              AND message.subscription_id = due.subscription_id
              AND message.message_id = due.message_id
           RETURNING message.account_id, message.subscription_id, message.message_id,
                     message.notice, message.attempts, message.expires_at)
    SELECT leased.account_id, leased.subscription_id, leased.message_id, leased.attempts,
           leased.expires_at, subscription.sealed_endpoint, account.kind,
           \(fragment: StoredLocale.columnList), notice.number, notice.kind, notice.sealed_payload,
           notice.is_read OR leased.notice <= coalesce(head.pushed, 0),
           EXISTS (
             SELECT
               FROM data4help.notices AS later
              WHERE later.account_id = leased.account_id
                AND later.number > leased.notice
                AND later.kind = notice.kind)
      FROM leased
      JOIN data4help.push_subscriptions AS subscription USING (account_id, subscription_id)
      JOIN data4help.accounts AS account ON account.account_id = leased.account_id
      LEFT JOIN data4help.notices AS notice
        ON notice.account_id = leased.account_id AND notice.number = leased.notice
      LEFT JOIN data4help.notice_heads AS head ON head.account_id = leased.account_id
     ORDER BY leased.account_id, leased.notice
    """
  static let columns = Columns {
    (
      account: AccountID, subscription: UniversalID, message: UniversalID, attempts: Int32,
      expiresAt: Instant, sealedEndpoint: [UInt8], accountKind: StoredKind, language: Language?,
      timeZone: String?, number: Int64?, kind: NoticeKind?, payload: [UInt8]?, isSeen: Bool?,
      hasLater: Bool?
    ) in
    Row(
      account: account, subscription: subscription, message: message,
      notice: PushedNotice(
        number: number, kind: kind, sealedPayload: payload, isSeen: isSeen, hasLater: hasLater),
      attempts: attempts, expiresAt: expiresAt, sealedEndpoint: sealedEndpoint,
      accountKind: accountKind, locale: StoredLocale(language: language, timeZone: timeZone))
  }
  let isUrgent: Bool
  let now: Instant
  let until: Instant
  let countMax: Int64
}

/// The notice of a push message, as stored.
struct PushedNotice: Sendable {
  let number: Int64
  let kind: NoticeKind
  let sealedPayload: [UInt8]
  /// Whether it was read, or a stream has delivered it.
  let isSeen: Bool
  /// Whether the account has a later notice of the kind.
  let hasLater: Bool

  /// The columns of an outer join; nil without a notice.
  init?(number: Int64?, kind: NoticeKind?, sealedPayload: [UInt8]?, isSeen: Bool?, hasLater: Bool?)
  {
    guard let number, let kind, let sealedPayload else { return nil }
    self.number = number
    self.kind = kind
    self.sealedPayload = sealedPayload
    self.isSeen = isSeen ?? false
    self.hasLater = hasLater ?? false
  }
}

/// Deletes a message that was sent or dropped.
struct DeletePushMessage: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.push_messages
     WHERE account_id = \(\.account)
       AND subscription_id = \(\.subscription)
       AND message_id = \(\.message)
    """
  let account: AccountID
  let subscription: UniversalID
  let message: UniversalID
}

/// Returns a leased message to the queue; an interrupted attempt does not count.
struct PostponePushMessage: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.push_messages
       SET next_attempt_at = \(\.nextAttemptAt), attempts = attempts - \(\.uncounted)
     WHERE account_id = \(\.account)
       AND subscription_id = \(\.subscription)
       AND message_id = \(\.message)
       AND next_attempt_at = \(\.lease)
    """
  let account: AccountID
  let subscription: UniversalID
  let message: UniversalID
  let lease: Instant
  let nextAttemptAt: Instant
  let uncounted: Int32
}

/// Returns leased messages to the queue without an attempt.
struct PutBackPushMessages: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.push_messages AS message
       SET next_attempt_at = \(\.nextAttemptAt), attempts = attempts - 1
      FROM unnest(\(\.accounts), \(\.subscriptions), \(\.messages))
             AS given (account_id, subscription_id, message_id)
     WHERE message.account_id = given.account_id
       AND message.subscription_id = given.subscription_id
       AND message.message_id = given.message_id
       AND message.next_attempt_at = \(\.lease)
    """
  let accounts: [AccountID]
  let subscriptions: [UniversalID]
  let messages: [UniversalID]
  let lease: Instant
  let nextAttemptAt: Instant
}

/// The number of queued messages.
struct CountPushMessages: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT count(*) FROM data4help.push_messages"
}

/// The statements of push messages, for the check against the schema.
package enum PushStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    PushSubscriptions.self, KnownPushSubscription.self, TakeOverPushEndpoint.self,
    DeleteOldestPushSubscriptions.self, StorePushSubscription.self, DeletePushSubscription.self,
    DeletePushSubscriptionsOfSession.self, DeletePushSubscriptions.self, PushHospitalCall.self,
    LeasePushMessages.self, DeletePushMessage.self, PostponePushMessage.self,
    PutBackPushMessages.self, CountPushMessages.self,
  ]
}
