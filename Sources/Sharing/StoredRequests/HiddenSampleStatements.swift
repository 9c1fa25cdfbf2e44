import Domain
import Postgres
import Time

/// Hides samples of an account from its subscriptions whose payment is due: those stored from now
/// on, or none from now on if the account is active. Repetitions change nothing. By the index on
/// the account; locks the requests in the order of their identifiers, as `EnterAccountEvents` does.
///
/// A subscription that is paid has a relay, which reads the state of the account itself.
struct HideFromUnpaid: Statement {
  static let sql: SQL<Self> = """
    WITH held AS (
      SELECT request_id
        FROM data4help.single_requests
       WHERE account_id = \(\.account)
         AND status = 6
         AND is_subscribing
       ORDER BY request_id
         FOR NO KEY UPDATE)
    UPDATE data4help.single_requests AS request
       SET hidden_seqs = CASE
             WHEN \(\.isActive)::boolean
             THEN request.hidden_seqs * int8multirange(int8range(NULL, sample.next_seq))
             ELSE coalesce(request.hidden_seqs, '{}')
                    + int8multirange(int8range(sample.next_seq, NULL))
           END
      FROM held
     CROSS JOIN data4help.sample_accounts AS sample
     WHERE request.request_id = held.request_id
       AND sample.account_id = \(\.account)
    """
  let isActive: Bool
  let account: AccountID
}

/// Whether an account is active; no row for one that was deleted. It stays so to the end of the
/// transaction. Take this lock before those of its requests: a deletion and a change of the state
/// begin with it.
struct HoldAccountState: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = """
    SELECT state = 2
      FROM data4help.accounts
     WHERE account_id = \(\.account)
       FOR SHARE
    """
  let account: AccountID
}

/// Appends the samples between two numbers of an account, the second excluded, that are not hidden
/// from a subscription to the log of its third party: an entry for each stretch of them, in the
/// order of the samples. One statement however often the account was inactive.
struct EnterShownSamples: Statement {
  static let sql: SQL<Self> = """
    WITH shown AS (
      SELECT lower(stretch) AS first_account_seq, upper(stretch) - lower(stretch) AS count,
             sum(upper(stretch) - lower(stretch)) OVER (ORDER BY lower(stretch))::int8
               AS count_so_far
        FROM data4help.single_requests AS request
       CROSS JOIN LATERAL unnest(
               int8multirange(int8range(\(\.from)::int8, \(\.to)::int8))
                 - coalesce(request.hidden_seqs, '{}')) AS stretch
       WHERE request.request_id = \(\.requestID)),
    needed AS (
      SELECT \(\.thirdParty)::int8 AS third_party_id, sum(count)::int8 AS count
        FROM shown
      HAVING count(*) > 0),
    \(fragment: NumberSQL.given)
    INSERT INTO data4help.third_party_log (
           third_party_id, first_seq, last_seq, request_id, types, first_account_seq, entered_at)
    SELECT given.third_party_id,
           given.next_seq - needed.count + shown.count_so_far - shown.count,
           given.next_seq - needed.count + shown.count_so_far - 1,
           \(\.requestID), \(\.types), shown.first_account_seq, \(\.now)
      FROM shown
     CROSS JOIN needed
      JOIN given USING (third_party_id)
    """
  let thirdParty: AccountID
  let requestID: DataRequestID
  let types: DataTypeSet
  let from: Int64
  let to: Int64
  let now: Instant
}
