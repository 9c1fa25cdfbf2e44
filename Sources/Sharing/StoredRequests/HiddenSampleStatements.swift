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

/// Hides the samples of an account from a number on from a subscription whose payment becomes due,
/// if the account is inactive already.
struct HideFromDue: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.single_requests AS request
       SET hidden_seqs = int8multirange(int8range(\(\.nextSequence)::int8, NULL))
      FROM data4help.accounts AS account
     WHERE request.request_id = \(\.requestID)
       AND request.is_subscribing
       AND account.account_id = request.account_id
       AND account.state <> 2
    """
  let nextSequence: Int64
  let requestID: DataRequestID
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
