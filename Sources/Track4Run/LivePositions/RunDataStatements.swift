import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// The statements over what runners shared, for the check against the schema.
enum RunDataStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    StoreRunData.self, DataOfRun.self, DataBehind.self, LastRunData.self, HoldDataOfRequest.self,
    ReplaceRunData.self, RemoveRunData.self, NoteErasure.self, RemoveDataOfAccount.self,
  ]
}

/// What one runner shared between two numbers of the sequence, sealed.
struct RunDataRow: Sendable {
  let runID: Int64
  let number: Int32
  let streamSeq: Int64
  let sealed: [UInt8]

  static let columns = Columns(RunDataRow.init)

  /// Where it stands.
  var place: UnreadableRows.Place { .data(run: runID, number: number, streamSeq: streamSeq) }
}

/// Stores what runners shared; what stands there already is left as it is.
struct StoreRunData: Statement {
  static let sql: SQL<Self> = """
    INSERT INTO track4run.run_data (run_id, number, stream_seq, sealed_samples)
    SELECT run_id, number, stream_seq, sealed
      FROM unnest(\(\.runs), \(\.numbers), \(\.streamSeqs), \(\.sealed))
           AS came (run_id, number, stream_seq, sealed)
        ON CONFLICT (run_id, number, stream_seq) DO NOTHING
    """
  var runs: [Int64] = []
  var numbers: [Int32] = []
  var streamSeqs: [Int64] = []
  var sealed: [[UInt8]] = []
}

/// A page of what runners of a run shared, by runner and number; no runners named is all of them.
struct DataOfRun: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE run_id = \(\.runID)
       AND (\(\.numbers) IS NULL OR number = ANY (\(\.numbers)))
       AND (number, stream_seq) > (\(\.afterNumber), \(\.afterSeq))
     ORDER BY number, stream_seq
     LIMIT \(\.limit)
    """
  static let columns = RunDataRow.columns
  let runID: Int64
  let numbers: [Int32]?
  var afterNumber: Int32 = 0
  var afterSeq: Int64 = 0
  let limit: Int64
}

/// What was stored for any run behind a number of the sequence, in its order.
struct DataBehind: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE stream_seq > \(\.after)
     ORDER BY stream_seq
     LIMIT \(\.limit)
    """
  static let columns = RunDataRow.columns
  let after: Int64
  let limit: Int64
}

/// The number of what was stored last; 0 where nothing was.
struct LastRunData: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT coalesce(max(stream_seq), 0) FROM track4run.run_data
    """
}

/// Holds everything that came of a check-in, to the end of the transaction.
struct HoldDataOfRequest: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT kept.run_id, kept.number, kept.stream_seq, kept.sealed_samples
      FROM track4run.run_data AS kept
      JOIN track4run.enrolments AS enrolment USING (run_id, number)
     WHERE enrolment.request_id = \(\.requestID)
     ORDER BY kept.run_id, kept.number, kept.stream_seq
       FOR UPDATE OF kept
    """
  static let columns = RunDataRow.columns
  let requestID: UniversalID
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

/// Tells the replicas that follow a run that what they know of a runner is to be read again.
struct NoteErasure: Statement {
  static let sql: SQL<Self> = """
    UPDATE track4run.enrolments
       SET data_revision = data_revision + 1
     WHERE request_id = \(\.requestID)
    """
  let requestID: UniversalID
}

/// Removes everything that an account ever shared in runs.
struct RemoveDataOfAccount: Statement {
  static let sql: SQL<Self> = """
    WITH noted AS (
      UPDATE track4run.enrolments
         SET data_revision = data_revision + 1
       WHERE account_id = \(\.account)
      RETURNING run_id, number)
    DELETE FROM track4run.run_data AS kept
     USING noted
     WHERE (kept.run_id, kept.number) = (noted.run_id, noted.number)
    """
  let account: AccountID
}
