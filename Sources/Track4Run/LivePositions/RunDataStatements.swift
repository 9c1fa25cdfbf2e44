import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// Statements over data shared by runners, listed for the schema check.
enum RunDataStatements {
  static let all: [any Statement.Type] = [
    StoreRunData.self, DataOfRun.self, DataBehind.self, LastRunData.self,
  ]
}

/// A sealed row of the data of one runner, with its number of the sequence.
struct RunDataRow: Sendable {
  let runID: Int64
  let number: Int32
  let streamSeq: Int64
  let sealed: [UInt8]

  static let columns = Columns(RunDataRow.init)

  /// The row's identity in reports.
  var place: UnreadableRows.Place { .data(run: runID, number: number, streamSeq: streamSeq) }
}

/// Stores rows of runner data; existing rows are left unchanged.
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

/// A page of the data of runners with consecutive numbers in a run, by runner and number of the
/// sequence. Uses the primary key: the cost depends only on the data of these runners.
struct DataOfRun: Statement {
  typealias Row = RunDataRow
  static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE run_id = \(\.runID)
       AND (number, stream_seq) > (\(\.afterNumber), \(\.afterSeq))
       AND number <= \(\.lastNumber)
     ORDER BY number, stream_seq
     LIMIT \(\.limit)
    """
  static let columns = RunDataRow.columns
  let runID: Int64
  private(set) var afterNumber: Int32
  private(set) var afterSeq = Int64.max
  let lastNumber: Int32
  let limit = RunData.pageMax

  /// The numbers of all runners.
  static let everybody: ClosedRange<Int32> = 1...Int32.max

  /// The first page.
  init(runID: Int64, _ numbers: ClosedRange<Int32> = DataOfRun.everybody) {
    self.runID = runID
    afterNumber = numbers.lowerBound - 1
    lastNumber = numbers.upperBound
  }

  /// Moves to the rows after a row.
  mutating func goOn(behind last: CheckInSamples) {
    (afterNumber, afterSeq) = (last.number, last.streamSeq)
  }

  /// Moves to the rows after those of a runner.
  mutating func goOn(behindRunner number: Int32) {
    (afterNumber, afterSeq) = (number, .max)
  }
}

/// Rows of all runs after a number of the sequence, in its order.
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

/// The number of the last stored row; 0 without rows.
struct LastRunData: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT coalesce(max(stream_seq), 0) FROM track4run.run_data
    """
}
