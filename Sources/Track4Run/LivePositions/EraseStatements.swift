import Domain
import EventLoop
import Postgres
import Services

/// The statements that erase what runners shared, for the check against the schema.
enum EraseStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    CheckInToErase.self, HoldDataOfRequest.self, ReplaceRunData.self, RemoveRunData.self,
    RemoveDataOfRequest.self, RemoveDataOfAccount.self, ReadRunnersAgain.self,
    ReadAccountAgain.self,
  ]
}

/// What a check-in covers; no row of an unknown one. By the index on requests.
struct CheckInToErase: Statement {
  struct Row: Sendable {
    let startsAt: WallTime
    let endsAt: WallTime
    /// The types that were shared, as bits; nil of who checked in before they were noted.
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

/// Holds some of what came of a check-in between two numbers, to the end of the transaction. By the
/// primary key.
struct HoldDataOfRequest: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT kept.run_id, kept.number, kept.stream_seq, kept.sealed_samples
      FROM track4run.run_data AS kept
      JOIN track4run.enrolments AS enrolment USING (run_id, number)
     WHERE enrolment.request_id = \(\.requestID)
       AND kept.stream_seq > \(\.behind)
       AND kept.stream_seq < \(\.before)
     ORDER BY kept.stream_seq
     LIMIT \(\.countMax)
       FOR UPDATE OF kept
    """
  static let columns = RunDataRow.columns
  let requestID: DataRequestID
  let behind: Int64
  let before: Int64
  let countMax: Int64
}

/// Puts other samples in the place of some.
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

/// Removes some of what was stored.
struct RemoveRunData: Statement {
  static let sql: SQL<Self> = """
    DELETE FROM track4run.run_data AS kept
     USING unnest(\(\.runs), \(\.numbers), \(\.streamSeqs)) AS gone (run_id, number, stream_seq)
     WHERE (kept.run_id, kept.number, kept.stream_seq)
           = (gone.run_id, gone.number, gone.stream_seq)
    """
  var runs: [Int64] = []
  var numbers: [Int32] = []
  var streamSeqs: [Int64] = []
}

/// What every statement shares that removes a piece of what was stored, unopened.
private enum PieceSQL {
  /// The rows among which `piece` chooses.
  static let rows: StaticString = """
    SELECT kept.run_id, kept.number, kept.stream_seq
            FROM track4run.run_data AS kept
            JOIN track4run.enrolments AS enrolment USING (run_id, number)
    """
  /// Removes the rows of `piece`, and gives their numbers of the sequence.
  static let removal: StaticString = """
    DELETE FROM track4run.run_data AS kept
     USING piece
     WHERE (kept.run_id, kept.number, kept.stream_seq)
           = (piece.run_id, piece.number, piece.stream_seq)
    RETURNING kept.stream_seq
    """
}

/// Removes some of what came of a check-in before a number of the sequence, whatever is in it;
/// gives the numbers.
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

/// Removes some of what an account ever shared in runs; gives the numbers.
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

/// Tells the replicas that follow a run that what they know of runners is to be read again.
struct ReadRunnersAgain: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET data_revision = data_revision + 1
     WHERE request_id = ANY (\(\.requestIDs))
    """
  let requestIDs: [DataRequestID]
}

/// Tells the replicas that follow an account's runs that what they know of it is to be read again.
struct ReadAccountAgain: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET data_revision = data_revision + 1
     WHERE account_id = \(\.account)
    """
  let account: AccountID
}
