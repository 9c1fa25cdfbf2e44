import Accounts
import Domain
import Postgres

/// The runs of check-in requests. By the primary keys.
struct RunsOfCheckIns: Statement {
  struct Row: Sendable {
    let requestID: DataRequestID
    let run: CheckInRun
  }
  static let sql: SQL<Self> = """
    SELECT request.request_id, run.run_id, run.code, run.run_name
      FROM data4help.single_requests AS request
      JOIN data4help.check_in_runs AS run USING (run_id)
     WHERE request.request_id = ANY (\(\.requestIDs))
    """
  static let columns = Columns {
    (requestID: DataRequestID, runID: Int64, code: String, name: String) in
    Row(requestID: requestID, run: CheckInRun(runID: runID, code: code, name: name))
  }
  let requestIDs: [DataRequestID]
}
