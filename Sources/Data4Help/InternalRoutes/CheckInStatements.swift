import Accounts
import Domain
import InternalAPI
import Postgres
import ServiceKit
import Sharing
import Time

/// The statements of the internal API for Track4Run, for the check against the schema.
package enum Track4RunStatements {
  /// All of them.
  package static let all: [any Statement.Type] = [
    HoldCheckInAccounts.self, NoteCheckInRun.self, InsertCheckIns.self,
    RequestsByID.self, HoldCheckInsForDelivery.self, LockCheckIns.self,
    WithdrawCheckIns.self, KnownAccounts.self, EmailsForNotices.self,
    DeliversPosition.self, CheckedInRunners.self,
    ForgetTrack4RunEntries.self, LockRunsWithoutCheckIn.self, ForgetCheckInRuns.self,
    PeopleNamed.self, StoreNameHashes.self,
  ]
}

/// The accounts of a batch, locked against their deletion as `HoldAccounts` does, with the columns
/// that decide whether they can be asked. By the primary keys.
struct HoldCheckInAccounts: Statement {
  struct Row: Sendable {
    let account: AccountID
    let kind: AccountKind
    let isActive: Bool
    /// The available data types of the account (R22).
    let available: DataTypeSet
  }
  static let sql: SQL<Self> = """
    SELECT account.account_id, account.kind, account.state = 2,
           coalesce(sample.stored_types & ~sample.disabled_types, 0)
      FROM data4help.accounts AS account
      LEFT JOIN data4help.sample_accounts AS sample USING (account_id)
     WHERE account.account_id = ANY (\(\.accounts))
     ORDER BY account.account_id
       FOR KEY SHARE OF account
    """
  static let columns = Columns {
    (account: AccountID, kind: StoredKind, isActive: Bool, available: DataTypeSet) in
    Row(account: account, kind: kind.kind, isActive: isActive, available: available)
  }
  let accounts: [AccountID]

  init(_ batch: CheckInBatch) { accounts = [batch.organiser] + batch.runners.map(\.account) }
}

/// Stores the present name of the run of check-ins.
struct NoteCheckInRun: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO data4help.check_in_runs AS known (run_id, code, run_name)
    VALUES (\(\.run.runID), \(\.run.code), \(\.run.name))
        ON CONFLICT (run_id) DO UPDATE
       SET code = excluded.code, run_name = excluded.run_name
     WHERE (known.code, known.run_name) IS DISTINCT FROM (excluded.code, excluded.run_name)
    """
  let run: CheckInRun
}

/// Inserts check-in requests of one organiser for one run, except those whose identifiers exist;
/// returns the inserted ones.
struct InsertCheckIns: Statement {
  typealias Row = DataRequestID
  static let sql: SQL<Self> = """
    INSERT INTO data4help.single_requests (
           request_id, third_party_id, account_id, sealed_addressee, is_by_email, types,
           is_subscribing, from_ts, to_ts, status, created_at, answer_by, is_check_in, run_id)
    SELECT request_id, third_party_id, account_id, '', false, types, true, from_ts, to_ts, 1,
           \(\.createdAt), answer_by, true, \(\.runID)
      FROM unnest(\(\.requestIDs), \(\.thirdParties), \(\.accounts), \(\.types), \(\.fromTimes),
                  \(\.toTimes), \(\.answerTimes))
             AS given (request_id, third_party_id, account_id, types, from_ts, to_ts, answer_by)
        ON CONFLICT (request_id) DO NOTHING
    RETURNING request_id
    """
  let runID: Int64
  let createdAt: Instant
  private(set) var requestIDs: [DataRequestID] = []
  private(set) var thirdParties: [AccountID] = []
  private(set) var accounts: [AccountID] = []
  private(set) var types: [DataTypeSet] = []
  private(set) var fromTimes: [Int64] = []
  private(set) var toTimes: [Int64] = []
  private(set) var answerTimes: [Instant] = []

  /// Pending requests of a run, all created at the same moment.
  init(_ requests: [SingleRequest], of runID: Int64) {
    self.runID = runID
    createdAt = requests.first?.createdAt ?? Instant(microsecondsSince1970: 0)
    for request in requests {
      guard let from = request.terms.from, let to = request.terms.to else { continue }
      requestIDs.append(request.id)
      thirdParties.append(request.thirdParty)
      accounts.append(request.singleUser)
      types.append(request.terms.types)
      fromTimes.append(from.millisecondsSince1970)
      toTimes.append(to.millisecondsSince1970)
      answerTimes.append(request.expiresAt)
    }
  }
}

/// Requests by their identifiers.
struct RequestsByID: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
    """
  static let columns = SingleRequestRow.columns
  let requestIDs: [DataRequestID]
}

/// The check-in requests with these identifiers, each locked so that it can't end before the
/// transaction does; deliveries lock the same request at the same time. The locks are taken in the
/// order of the identifiers, so that transactions do not deadlock.
struct HoldCheckInsForDelivery: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
       AND is_check_in
     ORDER BY request_id
       FOR KEY SHARE
    """
  static let columns = SingleRequestRow.columns
  let requestIDs: [DataRequestID]
}

/// The same rows as `HoldCheckInsForDelivery`, each locked so that no other transaction changes it
/// or delivers its data. A statement's text is a constant, so that both contain the same SQL.
struct LockCheckIns: Statement {
  typealias Row = SingleRequestRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: SingleRequestRow.columnList)
      FROM data4help.single_requests
     WHERE request_id = ANY (\(\.requestIDs))
       AND is_check_in
     ORDER BY request_id
       FOR UPDATE
    """
  static let columns = SingleRequestRow.columns
  let requestIDs: [DataRequestID]
}

/// Withdraws locked check-in requests: unanswered ones expire now, accepted ones end.
struct WithdrawCheckIns: Statement {
  static let sql: SQL<Self> = """
    UPDATE data4help.single_requests
       SET status = CASE status WHEN 1 THEN 4 ELSE 5 END,
           answer_by = CASE status WHEN 1 THEN \(\.now) ELSE answer_by END,
           ended_at = CASE status WHEN 2 THEN \(\.now) END,
           end_reason = CASE status WHEN 2 THEN 2 END
     WHERE request_id = ANY (\(\.requestIDs))
       AND status IN (1, 2)
    """
  let requestIDs: [DataRequestID]
  let now: Instant
}
