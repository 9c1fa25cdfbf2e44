import Domain
import Postgres
import Time

/// Statements that erase data shared by runners, listed for the schema check.
enum EraseStatements {
  static let all: [any Statement.Type] = [
    CheckInToErase.self, HoldDataOfRequest.self, ReplaceRunData.self, RemoveRunData.self,
    RemoveDataOfRequest.self, RemoveDataOfAccount.self, ReadRunnersAgain.self,
    ReadAccountAgain.self,
  ]
}

/// The scope of a check-in; no row for an unknown one. Uses the index on requests.
struct CheckInToErase: Statement {
  struct Row: Sendable {
    let startsAt: Instant
    let endsAt: Instant
    /// The shared types, as bits; nil for check-ins that predate the column.
    let sharedTypes: Int64?
  }
  static let sql: SQL<Self> = """
    SELECT run.starts_at, run.ends_at, enrolment.shared_types
      FROM track4run.enrolments AS enrolment
      JOIN track4run.runs AS run USING (run_id)
     WHERE enrolment.request_id = \(\.requestID)
    """
  static let columns = Columns(Row.init)
  let requestID: DataRequestID
}

/// Locks some rows of a check-in between two numbers, to the end of the transaction. Uses the
/// primary key.
struct HoldDataOfRequest: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT kept.run_id, kept.number, kept.stream_seq, kept.sealed_samples
      FROM track4run.run_data AS kept
      JOIN track4run.enrolments AS enrolment USING (run_id, number)
     WHERE enrolment.request_id = \(\.requestID)
       AND kept.stream_seq > \(\.after)
       AND kept.stream_seq < \(\.before)
     ORDER BY kept.stream_seq
     LIMIT \(\.countMax)
       FOR UPDATE OF kept
    """
  static let columns = RunDataRow.columns
  let requestID: DataRequestID
  let after: Int64
  let before: Int64
  let countMax: Int64
}

/// Replaces the samples of some rows.
struct ReplaceRunData: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.run_data AS kept
       SET sealed_samples = made.sealed
      FROM unnest(\(\.runs), \(\.numbers), \(\.streamSeqs), \(\.sealed))
           AS made (run_id, number, stream_seq, sealed)
     WHERE (kept.run_id, kept.number, kept.stream_seq)
           = (made.run_id, made.number, made.stream_seq)
    """
  var runs: [Int64] = []
  var numbers: [Int32] = []
  var streamSeqs: [Int64] = []
  var sealed: [[UInt8]] = []
}

/// Removes some rows.
struct RemoveRunData: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.run_data AS kept
     USING unnest(\(\.runs), \(\.numbers), \(\.streamSeqs)) AS removed (run_id, number, stream_seq)
     WHERE (kept.run_id, kept.number, kept.stream_seq)
           = (removed.run_id, removed.number, removed.stream_seq)
    """
  var runs: [Int64] = []
  var numbers: [Int32] = []
  var streamSeqs: [Int64] = []
}

/// Shared parts of the statements that remove a batch of rows without opening them.
private enum PieceSQL {
  /// The rows from which `piece` selects.
  static let rows: StaticString = """
    SELECT kept.run_id, kept.number, kept.stream_seq
            FROM track4run.run_data AS kept
            JOIN track4run.enrolments AS enrolment USING (run_id, number)
    """
  /// Removes the rows of `piece` and returns their sequence numbers.
  static let removal: StaticString = """
    DELETE FROM track4run.run_data AS kept
     USING piece
     WHERE (kept.run_id, kept.number, kept.stream_seq)
           = (piece.run_id, piece.number, piece.stream_seq)
    RETURNING kept.stream_seq
    """
}

/// Removes a batch of a check-in's rows before a sequence number, whatever their content; returns
/// the numbers.
struct RemoveDataOfRequest: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH piece AS (
          \(fragment: PieceSQL.rows)
           WHERE enrolment.request_id = \(\.requestID)
             AND kept.stream_seq < \(\.before)
           LIMIT \(\.countMax))
    \(fragment: PieceSQL.removal)
    """
  let requestID: DataRequestID
  let before: Int64
  let countMax: Int64
}

/// Removes a batch of the rows that an account shared in all runs; returns the numbers.
struct RemoveDataOfAccount: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    WITH piece AS (
          \(fragment: PieceSQL.rows)
           WHERE enrolment.account_id = \(\.account)
           LIMIT \(\.countMax))
    \(fragment: PieceSQL.removal)
    """
  let account: AccountID
  let countMax: Int64
}

/// Makes the replicas that follow a run reload the data of its runners.
struct ReadRunnersAgain: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET data_revision = data_revision + 1
     WHERE request_id = ANY (\(\.requestIDs))
    """
  let requestIDs: [DataRequestID]
}

/// Makes the replicas that follow an account's runs reload its data.
struct ReadAccountAgain: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET data_revision = data_revision + 1
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}
