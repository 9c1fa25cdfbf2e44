import Domain
import EventLoop
import Postgres
import Services

/// Puts a range of an account's samples into the log of a third party, under its next numbers.
struct EnterLog: Statement {
  static let sql: SQL<Self> = """
    WITH given AS (
      INSERT INTO data4help.third_party_sequences AS sequence (third_party_id, next_seq)
      VALUES (\(\.thirdParty), \(\.count)::int8 + 1)
          ON CONFLICT (third_party_id) DO UPDATE
         SET next_seq = sequence.next_seq + excluded.next_seq - 1
      RETURNING sequence.next_seq)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at)
    SELECT \(\.thirdParty), given.next_seq - \(\.count), given.next_seq - 1, \(\.requestID),
           \(\.types), \(\.firstAccountSequence), \(\.now)
      FROM given
    """
  let thirdParty: AccountID
  let requestID: DataRequestID
  let types: DataTypeSet
  let firstAccountSequence: Int64
  let count: Int64
  let now: WallTime
}

/// Puts what arrived for live subscriptions into the logs of their third parties, and ends those
/// whose time is over; gives how many subscriptions it looked after.
///
/// Requests that another replica or an answer holds are left for the next time. Deliveries are not
/// in its way, nor it in theirs: they hold a weaker lock. The rows of sequences are locked in the
/// order of their third parties, so that replicas don't wait for each other in a circle.
struct RelaySubscriptions: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH live AS (
      SELECT request.request_id, request.third_party_id, request.accepted_types,
             request.ends_at, request.relayed_seq,
             greatest(request.relayed_seq, coalesce(sample.next_seq - 1, 0)) AS last_seq
        FROM data4help.single_requests AS request
        LEFT JOIN data4help.sample_accounts AS sample USING (account_id)
       WHERE request.status = 2
         AND request.is_subscribing
         AND (sample.next_seq > request.relayed_seq + 1 OR request.ends_at <= \(\.now))
       ORDER BY request.request_id
       LIMIT \(\.countMax)
         FOR NO KEY UPDATE OF request SKIP LOCKED),
    fresh AS (
      SELECT request_id, third_party_id, accepted_types, relayed_seq + 1 AS first_seq,
             last_seq - relayed_seq AS count,
             sum(last_seq - relayed_seq)
               OVER (PARTITION BY third_party_id ORDER BY request_id)::int8 AS count_so_far
        FROM live
       WHERE last_seq > relayed_seq),
    needed AS (
      SELECT third_party_id, sum(count)::int8 AS count
        FROM fresh
       GROUP BY third_party_id
       ORDER BY third_party_id),
    given AS (
      INSERT INTO data4help.third_party_sequences AS sequence (third_party_id, next_seq)
      SELECT third_party_id, count + 1
        FROM needed
       ORDER BY third_party_id
          ON CONFLICT (third_party_id) DO UPDATE
         SET next_seq = sequence.next_seq + excluded.next_seq - 1
      RETURNING sequence.third_party_id, sequence.next_seq),
    entered AS (
      INSERT INTO data4help.third_party_log (
             third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at)
      SELECT fresh.third_party_id,
             given.next_seq - needed.count + fresh.count_so_far - fresh.count,
             given.next_seq - needed.count + fresh.count_so_far - 1,
             fresh.request_id, fresh.accepted_types, fresh.first_seq, \(\.now)
        FROM fresh
        JOIN needed USING (third_party_id)
        JOIN given USING (third_party_id)),
    moved AS (
      UPDATE data4help.single_requests AS request
         SET relayed_seq = live.last_seq,
             status = CASE WHEN live.ends_at <= \(\.now) THEN 5 ELSE 2 END,
             end_reason = CASE WHEN live.ends_at <= \(\.now) THEN 3 END,
             ended_at = CASE WHEN live.ends_at <= \(\.now) THEN live.ends_at END
        FROM live
       WHERE request.request_id = live.request_id
      RETURNING 1)
    SELECT count(*) FROM moved
    """
  let now: WallTime
  let countMax: Int64
}

/// A request of this third party, held against its end while data is handed out.
///
/// The lock is the weakest: it keeps an answer or an end waiting, and neither the relay nor another
/// delivery.
struct HoldRequestForDelivery: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = \(\.requestID)
       AND third_party_id = \(\.thirdParty)
       FOR KEY SHARE
    """
  static let columns = SingleRequestRow.columns
  let requestID: DataRequestID
  let thirdParty: AccountID
}

/// The log of a request from a number of the third party's on.
struct LogEntries: Statement {
  typealias Row = LogEntry
  static let sql: SQL<Self> = """
    SELECT first_seq, last_seq, types, first_account_seq
      FROM data4help.third_party_log
     WHERE request_id = \(\.requestID)
       AND last_seq >= \(\.from)
     ORDER BY last_seq
     LIMIT \(\.countMax)
    """
  static let columns = Columns(LogEntry.init)
  let requestID: DataRequestID
  let from: Int64
  let countMax: Int64
}
