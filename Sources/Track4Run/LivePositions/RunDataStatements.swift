import Domain
import EventLoop
import Postgres
import Privacy
import Services

/// The statements over what runners shared, for the check against the schema.
enum RunDataStatements {
  /// All of them.
  static let all: [any Statement.Type] = [
    StoreRunData.self, DataOfRun.self, DataBehind.self, LastRunData.self,
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

/// A page of what runners of a run shared whose numbers follow each other, by runner and number of
/// the sequence. By the primary key: costs what they shared, whatever the others did.
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

  /// Asks for what follows a row.
  mutating func goOn(behind last: CheckInSamples) {
    (afterNumber, afterSeq) = (last.number, last.streamSeq)
  }

  /// Asks for what follows everything of a runner.
  mutating func goOn(behindRunner number: Int32) {
    (afterNumber, afterSeq) = (number, .max)
  }
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
