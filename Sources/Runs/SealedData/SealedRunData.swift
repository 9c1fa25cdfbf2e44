import Cryptography
import Postgres
import ServiceKit

/// The sealed data that runners shared in runs, which is sealed again when the root secret is
/// replaced.
package struct SealedRunData: ServerSealedColumn {
  private let root: RootSecret

  /// The data sealed under keys of this secret.
  package init(root: RootSecret) { self.root = root }

  /// What is sealed, for the operator.
  package static let subject = "pieces of data of runs"

  /// The pieces after one, by run, number and place in the sequence.
  package func page(after last: RunDataRow?) -> SealedRunDataPage {
    SealedRunDataPage(
      afterRun: last?.runID ?? .min, afterNumber: last?.number ?? .min,
      afterSeq: last?.streamSeq ?? .min)
  }

  /// The piece under the secret in use; nil if it is sealed under that one.
  package func resealed(_ row: RunDataRow) throws(CryptographyError) -> [UInt8]? {
    try SealingKey(runDataOf: root, run: row.runID)
      .resealed(row.sealed.span, for: RunData.context(row.runID, row.number, row.streamSeq))
  }

  /// Stores pieces.
  package func store(_ rows: [(row: RunDataRow, sealed: [UInt8])]) -> StoreResealedRunData {
    StoreResealedRunData(
      runs: rows.map(\.row.runID), numbers: rows.map(\.row.number),
      streamSeqs: rows.map(\.row.streamSeq), former: rows.map(\.row.sealed),
      sealed: rows.map(\.sealed))
  }
}

/// A page of pieces. Reads the table by its primary key.
package struct SealedRunDataPage: Statement {
  /// A piece.
  package typealias Row = RunDataRow
  package static let sql: SQL<Self> = """
    SELECT run_id, number, stream_seq, sealed_samples
      FROM track4run.run_data
     WHERE (run_id, number, stream_seq) > (\(\.afterRun), \(\.afterNumber), \(\.afterSeq))
     ORDER BY run_id, number, stream_seq
     LIMIT 500
    """
  package static let columns = RunDataRow.columns
  let afterRun: Int64
  let afterNumber: Int32
  let afterSeq: Int64
}

/// Stores pieces that were sealed again, unless they have changed or are locked.
package struct StoreResealedRunData: Statement {
  /// One for each stored piece.
  package typealias Row = Int64
  package static let sql: SQL<Self> = """
    WITH renewed AS (
           SELECT *
             FROM unnest(\(\.runs), \(\.numbers), \(\.streamSeqs), \(\.former), \(\.sealed))
                    AS given (run_id, number, stream_seq, former, sealed)),
    free AS (
           SELECT stored.run_id, stored.number, stored.stream_seq
             FROM track4run.run_data AS stored
             JOIN renewed USING (run_id, number, stream_seq)
              FOR NO KEY UPDATE OF stored SKIP LOCKED)
    UPDATE track4run.run_data AS stored
       SET sealed_samples = renewed.sealed
      FROM renewed
      JOIN free USING (run_id, number, stream_seq)
     WHERE (stored.run_id, stored.number, stored.stream_seq)
           = (renewed.run_id, renewed.number, renewed.stream_seq)
       AND stored.sealed_samples = renewed.former
    RETURNING stored.stream_seq
    """
  let runs: [Int64]
  let numbers: [Int32]
  let streamSeqs: [Int64]
  let former: [[UInt8]]
  let sealed: [[UInt8]]
}
