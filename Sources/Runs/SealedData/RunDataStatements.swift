import Domain
import Postgres

/// Statements over data shared by runners, listed for the schema check.
enum RunDataStatements {
  static let all: [any Statement.Type] = [
    StoreRunData.self, DataOfRun.self, SealedRunDataPage.self, StoreResealedRunData.self,
    SealedRunnerNamePage.self, StoreResealedRunnerNames.self,
  ]
}

/// A sealed row of the data of one runner, with its sequence number.
package struct RunDataRow: Sendable {
  /// The run.
  package let runID: Int64
  /// The runner's number in it.
  package let number: Int32
  /// The sequence number.
  package let streamSeq: Int64
  let sealed: [UInt8]

  /// The columns in the order of the properties.
  package static let columns = Columns(RunDataRow.init)

  /// The row's identity in reports.
  var identity: UnreadableRows.RowIdentity {
    .data(run: runID, number: number, streamSeq: streamSeq)
  }
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
package struct DataOfRun: Statement {
  /// A row of one runner.
  package typealias Row = RunDataRow
  package static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE run_id = \(\.runID)
       AND (number, stream_seq) > (\(\.afterNumber), \(\.afterSeq))
       AND number <= \(\.lastNumber)
     ORDER BY number, stream_seq
     LIMIT \(\.limit)
    """
  package static let columns = RunDataRow.columns
  /// The run.
  package let runID: Int64
  private(set) var afterNumber: Int32
  private(set) var afterSeq = Int64.max
  /// The largest number of a runner whose data is read.
  package let lastNumber: Int32
  /// The largest number of rows of a page.
  package let limit = RunData.pageMax

  /// The numbers of all runners.
  package static let everybody: ClosedRange<Int32> = 1...Int32.max

  /// The first page.
  package init(runID: Int64, _ numbers: ClosedRange<Int32> = DataOfRun.everybody) {
    self.runID = runID
    afterNumber = numbers.lowerBound - 1
    lastNumber = numbers.upperBound
  }

  /// Moves to the rows after a row.
  package mutating func advance(after last: CheckInSamples) {
    (afterNumber, afterSeq) = (last.number, last.streamSeq)
  }

  /// Moves to the rows after those of a runner.
  package mutating func advance(afterRunner number: Int32) {
    (afterNumber, afterSeq) = (number, .max)
  }
}
