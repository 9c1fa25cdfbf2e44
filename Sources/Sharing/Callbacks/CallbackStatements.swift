import Bytes
import Cryptography
import Domain
import Postgres
import Time
import Webhooks

/// Stores a callback in place of the previous one, and invalidates its lease. The acknowledged
/// position of the previous one is kept; a first callback begins with future events. No row for an
/// account that does not exist.
///
/// Leases begin with the time in microseconds, so that none is repeated after a deletion.
struct StoreCallback: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.callbacks AS callback (
           third_party_id, sealed_url, sealed_secret, registered_at, acknowledged, next_attempt_at,
           lease)
    SELECT account.account_id, \(\.sealedURL), \(\.sealedSecret), \(\.now),
           coalesce((SELECT next_seq - 1
                       FROM data4help.third_party_sequences
                      WHERE third_party_id = \(\.thirdParty)), 0), \(\.now), \(\.lease)
      FROM data4help.accounts AS account
     WHERE account.account_id = \(\.thirdParty)
       FOR KEY SHARE
        ON CONFLICT (third_party_id) DO UPDATE
       SET sealed_url = excluded.sealed_url, sealed_secret = excluded.sealed_secret,
           registered_at = excluded.registered_at, attempts = 0,
           next_attempt_at = excluded.next_attempt_at, off_reason = NULL,
           sealed_previous_secret = NULL, previous_until = NULL,
           lease = greatest(callback.lease + 1, excluded.lease), leased_until = NULL
    RETURNING third_party_id
    """
  let thirdParty: AccountID
  let sealedURL: [UInt8]
  let sealedSecret: [UInt8]
  let now: Instant
  let lease: Int64

  init(thirdParty: AccountID, sealedURL: [UInt8], sealedSecret: [UInt8], now: Instant) {
    self.thirdParty = thirdParty
    self.sealedURL = sealedURL
    self.sealedSecret = sealedSecret
    self.now = now
    lease = now.microsecondsSince1970
  }
}

struct CallbackOf: Statement {
  typealias Row = CallbackRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: CallbackRow.columnList)
      FROM data4help.callbacks AS callback
     WHERE third_party_id = \(\.thirdParty)
    """
  static let columns = CallbackRow.columns
  let thirdParty: AccountID
}

struct DeleteCallback: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    DELETE FROM data4help.callbacks
     WHERE third_party_id = \(\.thirdParty)
    RETURNING third_party_id
    """
  let thirdParty: AccountID
}

/// Replaces the secret; the previous one also signs until its end, if there is one.
struct RotateCallbackSecret: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks
       SET sealed_previous_secret =
             CASE WHEN \(\.previousUntil)::timestamptz IS NOT NULL THEN sealed_secret END,
           previous_until = \(\.previousUntil), sealed_secret = \(\.sealedSecret)
     WHERE third_party_id = \(\.thirdParty)
    RETURNING third_party_id
    """
  let thirdParty: AccountID
  let sealedSecret: [UInt8]
  let previousUntil: Instant?
}

/// Deletes secrets that no longer sign.
struct ForgetPreviousSecrets: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks
       SET sealed_previous_secret = NULL, previous_until = NULL
     WHERE previous_until <= \(\.now)
    """
  let now: Instant
}

/// Moves back in the sequence, and calls at once, even if the callback was switched off. No event
/// is skipped by it: it never moves forward.
struct ResendCallback: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks
       SET acknowledged = least(acknowledged, \(\.since)), attempts = 0,
           next_attempt_at = \(\.now), off_reason = NULL
     WHERE third_party_id = \(\.thirdParty)
    RETURNING acknowledged
    """
  let thirdParty: AccountID
  let since: Int64
  let now: Instant
}

/// Leases third parties that have undelivered events and no valid lease, or a lease of a dead
/// process; `isOfEmergencies` selects those whose next entry is of an emergency, or the others. By
/// the index of the active callbacks, with a look at the sequence of each and at the entry with the
/// next number.
struct LeaseCallbacks: Statement {
  typealias Row = CallbackRow
  static let sql: SQL<Self> = """
    WITH due AS MATERIALIZED (
      SELECT callback.third_party_id
        FROM data4help.callbacks AS callback
        JOIN data4help.third_party_sequences AS sequence
          ON sequence.third_party_id = callback.third_party_id
       WHERE callback.off_reason IS NULL
         AND callback.next_attempt_at <= \(\.now)
         AND (callback.leased_until IS NULL OR callback.leased_until <= \(\.now)
              OR callback.leased_by IS NOT NULL AND NOT EXISTS (
                   SELECT
                     FROM data4help.delivering_replicas AS replica
                    WHERE replica.replica_id = callback.leased_by
                      AND replica.alive_until > clock_timestamp()))
         AND sequence.next_seq - 1 > callback.acknowledged
         AND \(\.isOfEmergencies) = coalesce((
               SELECT entry.kind IN (7, 8) AND entry.last_seq > callback.acknowledged
                 FROM data4help.third_party_log AS entry
                WHERE entry.third_party_id = callback.third_party_id
                  AND entry.first_seq <= callback.acknowledged + 1
                ORDER BY entry.first_seq DESC
                LIMIT 1), false)
       ORDER BY callback.next_attempt_at
       LIMIT \(\.countMax)
         FOR UPDATE OF callback SKIP LOCKED)
    UPDATE data4help.callbacks AS callback
       SET lease = callback.lease + 1, leased_until = \(\.until), leased_by = \(\.replica)
      FROM due
     WHERE callback.third_party_id = due.third_party_id
    RETURNING \(fragment: CallbackRow.columnList)
    """
  static let columns = CallbackRow.columns
  let now: Instant
  let until: Instant
  /// The replica whose lease in `delivering_replicas` also ends this one; nil for none.
  let replica: UniversalID?
  let isOfEmergencies: Bool
  let countMax: Int64
}

/// Advances a callback after an acknowledged event, unless the third party asked for its
/// repetition, and keeps the lease; no row when another process has the lease by now.
struct AcknowledgeCallback: Statement {
  typealias Row = CallbackRow
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks AS callback
       SET acknowledged = CASE WHEN acknowledged = \(\.from) THEN \(\.to) ELSE acknowledged END,
           attempts = 0, next_attempt_at = \(\.now), leased_until = \(\.until)
     WHERE third_party_id = \(\.thirdParty)
       AND lease = \(\.lease)
    RETURNING \(fragment: CallbackRow.columnList)
    """
  static let columns = CallbackRow.columns
  let thirdParty: AccountID
  let lease: Int64
  let from: Int64
  let to: Int64
  let now: Instant
  let until: Instant
}

/// Releases a lease after a failed attempt.
struct PostponeCallback: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks
       SET attempts = attempts + 1, next_attempt_at = \(\.nextAttemptAt), leased_until = NULL,
           off_reason = \(\.offReason)
     WHERE third_party_id = \(\.thirdParty)
       AND lease = \(\.lease)
    RETURNING third_party_id
    """
  let thirdParty: AccountID
  let lease: Int64
  let nextAttemptAt: Instant
  let offReason: CallbackOffReason?
}

/// Releases a lease.
struct ReleaseCallback: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.callbacks
       SET leased_until = NULL
     WHERE third_party_id = \(\.thirdParty)
       AND lease = \(\.lease)
    """
  let thirdParty: AccountID
  let lease: Int64
}

/// A row of the log of calls.
struct CallbackCallRow: Sendable {
  let id: UniversalID
  let number: Int64?
  let calledAt: Instant
  let status: Int16?
  let error: CallbackFailure?
  let nextAttemptAt: Instant?
}

/// Logs a call; no row for an account that was deleted meanwhile.
struct LogCallbackCall: Statement {
  typealias Row = AccountID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.callback_calls (
           third_party_id, call_id, number, called_at, status, error, next_attempt_at)
    SELECT account.account_id, \(\.id), \(\.number), \(\.calledAt), \(\.status), \(\.error),
           \(\.nextAttemptAt)
      FROM data4help.accounts AS account
     WHERE account.account_id = \(\.thirdParty)
       FOR KEY SHARE
    RETURNING third_party_id
    """
  let thirdParty: AccountID
  let id: UniversalID
  let number: Int64?
  let calledAt: Instant
  let status: Int16?
  let error: CallbackFailure?
  let nextAttemptAt: Instant?

  init(
    _ thirdParty: AccountID, _ number: Int64?, _ outcome: CallbackOutcome, at now: Instant,
    next: Instant? = nil
  ) {
    self.thirdParty = thirdParty
    self.number = number
    id = .ordered(millisecondsSince1970: now.millisecondsSince1970)
    calledAt = now
    nextAttemptAt = next
    switch outcome {
    case .answered(let status, _, _):
      self.status = Int16(clamping: status)
      error = outcome.isTaken ? nil : .status
    case .failed(let failure):
      status = nil
      error = failure
    }
  }
}

/// A page of the log of calls, newest first.
struct CallbackCalls: Statement {
  typealias Row = CallbackCallRow
  static let sql: SQL<Self> = """
    SELECT call_id, number, called_at, status, error, next_attempt_at
      FROM data4help.callback_calls
     WHERE third_party_id = \(\.thirdParty)
       AND call_id < \(\.before)
     ORDER BY call_id DESC
     LIMIT \(\.limit)
    """
  static let columns = Columns(CallbackCallRow.init)
  let thirdParty: AccountID
  let before: UniversalID
  let limit: Int
}

/// Deletes calls from before a time.
struct ForgetCallbackCalls: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM data4help.callback_calls WHERE called_at < \(\.before)
    """
  let before: Instant
}

/// The statements of callbacks, for the check against the schema.
package enum CallbackStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    StoreCallback.self, CallbackOf.self, DeleteCallback.self, ResendCallback.self,
    LeaseCallbacks.self, AcknowledgeCallback.self, PostponeCallback.self, ReleaseCallback.self,
    LogCallbackCall.self, CallbackCalls.self, ForgetCallbackCalls.self,
    RotateCallbackSecret.self, ForgetPreviousSecrets.self,
  ]
}
