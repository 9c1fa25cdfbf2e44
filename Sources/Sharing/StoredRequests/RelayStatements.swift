import Domain
import Postgres
import Time

/// The parts that the relay's statements share: from `live`, the locked subscriptions, to `moved`.
///
/// New samples enter the logs of the third parties, and the end of a subscription follows them.
/// Each third party's row of `third_party_sequences` is locked from the assignment of numbers to
/// the commit, in one order, so that one relay at a time writes a third party's log. The relay and
/// deliveries do not block each other: deliveries hold a weaker lock.
///
/// Samples of an account that is inactive get no entry, but count as relayed: they are not
/// delivered later either (REQ-9). State and samples are of one snapshot, so that an entry never
/// has samples from after the change. Check-ins continue, because a run needs its runners'
/// positions, and have a pause of their own (RUN-12).
enum RelaySQL {
  /// The columns of `live`, after `SELECT`; logs are those of the recipients.
  static let live: StaticString = """
    request.request_id, request.recipient_id AS third_party_id, request.account_id,
           request.accepted_types, request.ends_at, request.relayed_seq,
           greatest(request.relayed_seq, coalesce(sample.next_seq - 1, 0)) AS last_seq,
           request.is_check_in
             OR (SELECT account.state = 2
                   FROM data4help.accounts AS account
                  WHERE account.account_id = request.account_id) AS is_delivered
    """

  /// The new entries, and the numbers they need.
  static let entries: StaticString = """
    entries AS (
      SELECT request_id, third_party_id, 1::int2 AS kind, accepted_types AS types,
             relayed_seq + 1 AS first_account_seq, last_seq - relayed_seq AS count
        FROM live
       WHERE last_seq > relayed_seq
         AND is_delivered
      UNION ALL
      SELECT request_id, third_party_id, 3::int2, 0::int8, 0::int8, 1::int8
        FROM live
        JOIN clock ON live.ends_at <= clock.now),
    fresh AS (
      SELECT request_id, third_party_id, kind, types, first_account_seq, count,
             sum(count) OVER (PARTITION BY third_party_id ORDER BY request_id, kind)::int8
               AS count_so_far
        FROM entries),
    needed AS (
      SELECT third_party_id, sum(count)::int8 AS count
        FROM entries
       GROUP BY third_party_id)
    """

  /// Comes after the assignment of the numbers that `entries` needs.
  static let moving: StaticString = """
    entered AS (
      INSERT INTO data4help.third_party_log (
             third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at,
             kind, status, reason)
      SELECT fresh.third_party_id,
             given.next_seq - needed.count + fresh.count_so_far - fresh.count,
             given.next_seq - needed.count + fresh.count_so_far - 1,
             fresh.request_id, fresh.types, fresh.first_account_seq, clock.now, fresh.kind,
             CASE WHEN fresh.kind = 3 THEN 5 END, CASE WHEN fresh.kind = 3 THEN 3 END
        FROM fresh
        JOIN needed USING (third_party_id)
        JOIN given USING (third_party_id)
       CROSS JOIN clock),
    moved AS (
      UPDATE data4help.single_requests AS request
         SET relayed_seq = live.last_seq,
             status = CASE WHEN live.ends_at <= clock.now THEN 5 ELSE 2 END,
             end_reason = CASE WHEN live.ends_at <= clock.now THEN 3 END,
             ended_at = CASE WHEN live.ends_at <= clock.now THEN live.ends_at END
        FROM live
       CROSS JOIN clock
       WHERE request.request_id = live.request_id
      RETURNING request.request_id, request.third_party_id, request.account_id,
                request.is_check_in)
    """
}

/// Appends new samples of these accounts to the logs of their subscribers; returns the number of
/// subscriptions advanced. By the index of live subscriptions and, for those with new samples, the
/// primary key of accounts: its cost is that of the accounts.
///
/// It waits for the holders of request locks, in the order of requests: another relay may just have
/// read less than was stored since.
struct RelayAccounts: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH clock AS (SELECT \(\.now)::timestamptz AS now),
    live AS (
      SELECT \(fragment: RelaySQL.live)
        FROM data4help.single_requests AS request
        JOIN data4help.sample_accounts AS sample USING (account_id)
       WHERE request.account_id = ANY (\(\.accounts))
         AND request.status = 2
         AND request.is_subscribing
         AND request.ends_at > \(\.now)
         AND sample.next_seq > request.relayed_seq + 1
       ORDER BY request.request_id
         FOR NO KEY UPDATE OF request),
    \(fragment: RelaySQL.entries),
    \(fragment: NumberSQL.given),
    \(fragment: RelaySQL.moving)
    SELECT count(*) FROM moved
    """
  let now: Instant
  let accounts: [AccountID]
}

/// Checks a slice of the live subscriptions, in the order of their accounts, for samples whose
/// notification was lost with a killed process. Returns the number advanced, the number checked,
/// and the last account.
struct RelayMissed: Statement {
  struct Row: Sendable {
    let moved: Int64
    let seen: Int64
    let last: AccountID?
  }
  static let sql: SQL<Self> = """
    WITH clock AS (SELECT \(\.now)::timestamptz AS now),
    slice AS (
      SELECT request_id, account_id
        FROM data4help.single_requests
       WHERE status = 2
         AND is_subscribing
         AND account_id > \(\.after)
       ORDER BY account_id
       FETCH FIRST \(\.countMax) ROWS WITH TIES),
    live AS (
      SELECT \(fragment: RelaySQL.live)
        FROM slice
        JOIN data4help.single_requests AS request ON request.request_id = slice.request_id
        JOIN data4help.sample_accounts AS sample ON sample.account_id = slice.account_id
       WHERE request.status = 2
         AND request.ends_at > \(\.now)
         AND sample.next_seq > request.relayed_seq + 1
       ORDER BY request.request_id
         FOR NO KEY UPDATE OF request SKIP LOCKED),
    \(fragment: RelaySQL.entries),
    \(fragment: NumberSQL.given),
    \(fragment: RelaySQL.moving)
    SELECT (SELECT count(*) FROM moved), (SELECT count(*) FROM slice),
           (SELECT max(account_id) FROM slice)
    """
  static let columns = Columns(Row.init)
  let now: Instant
  let after: AccountID
  let countMax: Int64
}

/// Ends subscriptions that are over, after their last samples; returns them. By the index of their
/// ends.
struct EndSubscriptions: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let thirdParty: AccountID
    let account: AccountID
    let isCheckIn: Bool
  }
  static let sql: SQL<Self> = """
    WITH clock AS (SELECT \(\.now)::timestamptz AS now),
    live AS (
      SELECT \(fragment: RelaySQL.live)
        FROM data4help.single_requests AS request
        LEFT JOIN data4help.sample_accounts AS sample USING (account_id)
       WHERE request.status = 2
         AND request.is_subscribing
         AND request.ends_at <= \(\.now)
       ORDER BY request.ends_at
       LIMIT \(\.countMax)
         FOR NO KEY UPDATE OF request SKIP LOCKED),
    \(fragment: RelaySQL.entries),
    \(fragment: NumberSQL.given),
    \(fragment: RelaySQL.moving)
    SELECT request_id, third_party_id, account_id, is_check_in FROM moved
    """
  static let columns = Columns(Row.init)
  let now: Instant
  let countMax: Int64
}

/// Records the reminders that a subscription ends in three days, and in one day; each once, and
/// only if the subscription was longer. Check-ins have none: the end of a run is known to its
/// runners. By the index of the ends.
struct RemindOfEnds: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let thirdParty: AccountID
    let account: AccountID
    let endsAt: Instant?
  }
  static let sql: SQL<Self> = """
    WITH due AS (
      SELECT request_id, ends_at <= \(\.now)::timestamptz + interval '1 day' AS is_last
        FROM data4help.single_requests
       WHERE status = 2
         AND is_subscribing
         AND NOT is_check_in
         AND ends_at > \(\.now)
         AND (ends_at <= \(\.now)::timestamptz + interval '3 days'
              AND reminders = 0
              AND answered_at <= ends_at - interval '3 days'
           OR ends_at <= \(\.now)::timestamptz + interval '1 day'
              AND reminders < 2
              AND answered_at <= ends_at - interval '1 day')
       ORDER BY ends_at
       LIMIT \(\.countMax)
         FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE data4help.single_requests AS request
       SET reminders = CASE WHEN due.is_last THEN 2 ELSE 1 END
      FROM due
     WHERE request.request_id = due.request_id
    RETURNING request.request_id, request.third_party_id, request.account_id, request.ends_at
    """
  static let columns = Columns(Row.init)
  let now: Instant
  let countMax: Int64
}

/// Marks an account as one with subscribers, and locks it to the end of the transaction: later
/// uploads notify the relay.
struct MarkSubscribed: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.sample_accounts SET is_subscribed = true WHERE account_id = \(\.account)
    """
  let account: AccountID
}
