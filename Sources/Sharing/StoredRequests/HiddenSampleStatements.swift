import Domain
import Postgres

/// Hides samples of an account from its subscriptions whose payment is due: those stored from now
/// on, or none from now on if the account is active. Repetitions change nothing. By the index on
/// the account.
///
/// A subscription that is paid has a relay, which reads the state of the account itself.
struct HideFromUnpaid: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.single_requests AS request
       SET hidden_seqs = CASE
             WHEN \(\.isActive)::boolean
             THEN request.hidden_seqs * int8multirange(int8range(NULL, sample.next_seq))
             ELSE coalesce(request.hidden_seqs, '{}')
                    + int8multirange(int8range(sample.next_seq, NULL))
           END
      FROM data4help.sample_accounts AS sample
     WHERE request.account_id = \(\.account)
       AND request.status = 6
       AND request.is_subscribing
       AND sample.account_id = request.account_id
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

/// The samples between two numbers of an account, the second excluded, that are not hidden from a
/// subscription, as stretches in their order.
struct ShownStretches: Statement {
  struct Row: Sendable {
    let first: Int64
    let count: Int64
  }
  static let sql: SQL<Self> = """
    SELECT lower(stretch), upper(stretch) - lower(stretch)
      FROM data4help.single_requests AS request
     CROSS JOIN LATERAL unnest(
             int8multirange(int8range(\(\.from)::int8, \(\.to)::int8))
               - coalesce(request.hidden_seqs, '{}')) AS stretch
     WHERE request.request_id = \(\.requestID)
     ORDER BY 1
    """
  static let columns = Columns(Row.init)
  let from: Int64
  let to: Int64
  let requestID: DataRequestID
}
