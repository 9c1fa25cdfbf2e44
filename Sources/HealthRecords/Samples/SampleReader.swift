import Cryptography
import Domain
import EventLoop
import Postgres
import ServiceKit
import Time

/// Selects samples of an account.
package struct SampleSelection: Sendable {
  /// The owner of the samples.
  package var account: AccountID
  /// The numbers of the account's sequence, both ends included.
  package var sequences: ClosedRange<Int64>
  /// The types.
  package var types: DataTypeSet
  /// The earliest time, included; nil for no beginning.
  package var from: Instant?
  /// The end of the times, excluded; nil for no end.
  package var to: Instant?

  /// A selection of the samples that match all parameters.
  package init(
    account: AccountID, sequences: ClosedRange<Int64>, types: DataTypeSet,
    from: Instant? = nil, to: Instant? = nil
  ) {
    self.account = account
    self.sequences = sequences
    self.types = types
    self.from = from
    self.to = to
  }
}

extension SampleSelection {
  /// The selected samples of a chunk with these numbers, in no particular order.
  ///
  /// - Throws: `internalError` for samples that can't be read.
  func samples(
    in data: [UInt8], of key: ChunkKey, numbers: ClosedRange<Int64>, with sealingKey: SealingKey,
    buffer: inout [UInt8]
  ) throws(ApplicationError) -> [NumberedSample] {
    var found: [NumberedSample] = []
    let from = from ?? .firstWritable
    try mapStorageError { () throws(SampleStoreError) in
      try SealedBlocks.forEach(in: data, of: key, with: sealingKey, buffer: &buffer) {
        (block) throws(SampleBlockError) in
        let header = try SampleBlock.header(of: block)
        guard header.firstSequence <= numbers.upperBound,
          header.lastSequence >= numbers.lowerBound
        else { return }
        for sample in try SampleBlock.decode(block)
        where numbers.contains(sample.sequence) && sample.time >= from {
          if let to, sample.time >= to { continue }
          found.append(NumberedSample(type: key.type, sample: sample))
        }
      }
    }
    return found
  }
}

/// Reads samples of an account page by page, smallest number first, in memory that does not grow
/// with their count.
///
/// Each page is read on request: samples erased in the meantime are missing. For the task that
/// created it, on the loop of the store.
package struct SampleReader {
  /// The range of numbers in a page, and hence its maximum number of samples.
  package static let pageNumbersMax: Int64 = 8_192
  /// The bytes of sealed samples that are opened in one turn of the loop: a few chunks.
  private static let turnBytesMax = 4_096

  private let database: Database
  private let sealingKey: SealingKey
  private let selection: SampleSelection
  private var nextNumber: Int64?

  init(_ selection: SampleSelection, database: Database, sealingKey: SealingKey) {
    self.database = database
    self.sealingKey = sealingKey
    self.selection = selection
    nextNumber = selection.types.isEmpty ? nil : selection.sequences.lowerBound
  }

  /// The next samples, ordered by number, never empty; nil after the last.
  ///
  /// - Throws: `unavailable` if the database is unavailable, `internalError` for samples that can't
  ///   be read.
  package mutating func next() async throws(ApplicationError) -> [NumberedSample]? {
    while let first = nextNumber {
      let last = min(
        first + min(Self.pageNumbersMax - 1, .max - first), selection.sequences.upperBound)
      let rows = try await database.rows(ChunksOfNumbers(selection, from: first, to: last))
      let page = try await open(rows.filter { $0.firstSequence <= last }, in: first...last)
      nextNumber = nextStart(after: last, rows)
      if !page.isEmpty { return page }
    }
    return nil
  }

  /// The start of the next page: within rows that this page has read only in part, or at the first
  /// row after it.
  private func nextStart(after last: Int64, _ rows: [ChunksOfNumbers.Row]) -> Int64? {
    guard last < selection.sequences.upperBound else { return nil }
    let continues = rows.contains { $0.lastSequence > last && $0.firstSequence <= last }
    if continues { return last + 1 }
    let following = rows.lazy.map(\.firstSequence).filter { $0 > last }.min()
    return following.flatMap { $0 <= selection.sequences.upperBound ? $0 : nil }
  }

  private func open(
    _ rows: [ChunksOfNumbers.Row], in numbers: ClosedRange<Int64>
  ) async throws(ApplicationError) -> [NumberedSample] {
    var page: [NumberedSample] = []
    var buffer: [UInt8] = []
    var bytesInTurn = 0
    for row in rows {
      guard let data = row.data else { continue }
      let key = ChunkKey(
        account: selection.account, type: row.type, day: row.day, part: row.part)
      page += try selection.samples(
        in: data, of: key, numbers: numbers, with: sealingKey, buffer: &buffer)
      bytesInTurn += data.count
      if bytesInTurn >= Self.turnBytesMax {
        bytesInTurn = 0
        await database.loop.nextTurn()
      }
    }
    page.sort { $0.sample.sequence < $1.sample.sequence }
    return page
  }
}

/// The chunks with some of a page's numbers, and of the later ones only the position where the next
/// page begins.
struct ChunksOfNumbers: Statement {
  struct Row: Sendable {
    let type: DataType
    let day: Int32
    let part: Int32
    let firstSequence: Int64
    let lastSequence: Int64
    /// Nil after the page.
    let data: [UInt8]?
  }
  static let sql: SQL<Self> = """
    SELECT type, day, part, first_seq, last_seq, data
      FROM chunks
     WHERE account_id = \(\.account)
       AND type = ANY (\(\.types))
       AND last_seq >= \(\.firstNumber)
       AND first_seq <= \(\.lastNumber)
       AND last_ts >= \(\.from)
       AND first_ts < \(\.to)
    UNION ALL
    (SELECT type, day, part, first_seq, last_seq, NULL::bytea
       FROM chunks
      WHERE account_id = \(\.account)
        AND type = ANY (\(\.types))
        AND first_seq > \(\.lastNumber)
        AND last_ts >= \(\.from)
        AND first_ts < \(\.to)
      ORDER BY first_seq
      LIMIT 1)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let types: [DataType]
  let firstNumber: Int64
  let lastNumber: Int64
  let from: Int64
  let to: Int64

  init(_ selection: SampleSelection, from first: Int64, to last: Int64) {
    account = selection.account
    types = Array(selection.types)
    firstNumber = first
    lastNumber = last
    from = (selection.from ?? .firstWritable).millisecondsSince1970
    to = selection.to.map(\.millisecondsSince1970) ?? .max
  }
}
