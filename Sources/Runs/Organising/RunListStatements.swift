import Domain
import Postgres
import Time

/// A page of the runs that a third party organises or co-organises, the latest start first.
struct RunsOfOrganiser: RunList {
  typealias Row = RunRow
  static let sql: SQL<Self> = """
    SELECT \(fragment: RunRow.columnList)
      FROM track4run.runs AS run
      LEFT JOIN track4run.publications AS publication USING (run_id)
     WHERE (run.organiser_id = \(\.thirdParty)
            OR run.run_id IN (SELECT co.run_id FROM track4run.co_organisers AS co
                               WHERE co.third_party_id = \(\.thirdParty)))
       AND (\(\.namePattern) IS NULL OR run.name ILIKE \(\.namePattern))
       AND (\(\.startsAfter) IS NULL OR run.starts_at > \(\.startsAfter))
       AND (\(\.startsUntil) IS NULL OR run.starts_at <= \(\.startsUntil))
       AND (\(\.endsAfter) IS NULL OR run.ends_at > \(\.endsAfter))
       AND (\(\.endsUntil) IS NULL OR run.ends_at <= \(\.endsUntil))
       AND (\(\.beforeStart) IS NULL
            OR (run.starts_at, -run.run_id) < (\(\.beforeStart), -\(\.beforeRun)))
     ORDER BY run.starts_at DESC, run.run_id
     LIMIT \(\.limit)
    """
  static let columns = RunRow.columns

  let thirdParty: AccountID
  var namePattern: String?
  var startsAfter: Instant?
  var startsUntil: Instant?
  var endsAfter: Instant?
  var endsUntil: Instant?
  var beforeStart: Instant?
  var beforeRun: Int64 = 0
  var limit: Int32 = 0

  /// All runs of the third party; a page sets the limit.
  init(thirdParty: AccountID) {
    self.thirdParty = thirdParty
  }
}

/// A page of the runners of a run, newest enrolment first: enrolled runners, and runners removed at
/// the start because they had not checked in.
struct Participants: Statement {
  struct Row: Sendable {
    let number: Int32
    let account: AccountID
    let sealedName: [UInt8]?
    let joinedAt: Instant
    let isCheckedIn: Bool
    let isRemoved: Bool
    /// The check-in request, if the runner accepted it.
    let acceptedRequest: DataRequestID?
    let clausesVersion: Int32?
    let clausesAcceptedAt: Instant?
  }
  static let sql: SQL<Self> = """
    SELECT number, account_id, sealed_name, joined_at,
           checked_in_at IS NOT NULL AND left_at IS NULL, left_at IS NOT NULL,
           CASE WHEN checked_in_at IS NOT NULL AND left_at IS NULL THEN request_id END,
           clauses_version, clauses_accepted_at
      FROM track4run.enrolments
     WHERE run_id = \(\.runID)
       AND (left_at IS NULL OR left_reason = 2)
       AND number < \(\.below)
     ORDER BY number DESC
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let runID: Int64
  let below: Int32
  let limit: Int64
}
