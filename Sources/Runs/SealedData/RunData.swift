import Cryptography
import Domain
import EventLoop
import Operations
import Postgres
import ServiceKit

/// The stored data that runners share in runs: sealed under a key per run, and removed when runners
/// erase it. One per loop.
package struct RunData: Sendable {
  private let keys: LoopBound<Keys>
  /// Reports unreadable rows.
  package let unreadable: UnreadableRows

  /// The largest number of run keys kept in memory.
  private static let keysMax = 1_000
  /// The number of rows in a page.
  static let pageMax: Int64 = 500

  /// The keys kept by the loop.
  private final class Keys {
    private let root: RootSecret
    private var keys: [Int64: SealingKey] = [:]

    init(_ root: RootSecret) { self.root = root }

    func key(of runID: Int64) -> SealingKey {
      if let key = keys[runID] { return key }
      if keys.count >= RunData.keysMax { keys = [:] }
      let key = SealingKey(runDataOf: root, run: runID)
      keys[runID] = key
      return key
    }
  }

  /// Creates a store with keys that derive from the server's secret; unreadable rows are reported
  /// to `unreadable`.
  package init(root: RootSecret, unreadable: UnreadableRows, on loop: EventLoop) {
    keys = LoopBound(Keys(root), on: loop)
    self.unreadable = unreadable
  }

  /// Creates a store that reports no unreadable rows.
  package init(root: RootSecret, on loop: EventLoop) {
    self.init(
      root: root, unreadable: UnreadableRows(log: .none, metrics: Metrics(), on: loop), on: loop)
  }

  /// Stores received samples, one row per runner. A row that already has the same number is left
  /// unchanged.
  ///
  /// - Throws: `unavailable`.
  package func store(
    _ arrived: [CheckInSamples], in transaction: Transaction<ApplicationError>
  ) async throws(ApplicationError) {
    var rows: [RunnerInRun: CheckInSamples] = [:]
    for came in arrived where !came.samples.isEmpty {
      let runner = RunnerInRun(runID: came.runID, number: came.number)
      if rows[runner]?.join(came) == nil { rows[runner] = came }
    }
    guard !rows.isEmpty else { return }
    var statement = StoreRunData()
    for row in rows.values {
      let bytes = try sealed(row.samples, row.runID, row.number, row.streamSeq)
      statement.runs.append(row.runID)
      statement.numbers.append(row.number)
      statement.streamSeqs.append(row.streamSeq)
      statement.sealed.append(bytes)
    }
    try await transaction.run(statement)
  }

  /// The stored samples of some runners of a run, or of all runners, unordered; of each runner at
  /// most the `countMax` that were stored first.
  ///
  /// - Throws: `unavailable`.
  package func samples(
    ofRun runID: Int64, numbers: [Int32]?, countMax: Int = .max, from database: Database
  ) async throws(ApplicationError) -> [Int32: [Sample]] {
    var samples: [Int32: [Sample]] = [:]
    var page = DataOfRun(runID: runID)
    let wanted = numbers.map { Set($0) }
    if let wanted {
      guard let first = wanted.min(), let last = wanted.max() else { return [:] }
      page = DataOfRun(runID: runID, first...last)
    }
    while true {
      let rows = try await rows(of: page, from: database)
      for row in rows where wanted?.contains(row.number) != false {
        let room = countMax - (samples[row.number]?.count ?? 0)
        samples[row.number, default: []] += row.samples.prefix(room)
      }
      guard rows.count == page.limit, let last = rows.last else { return samples }
      if samples[last.number]?.count == countMax {
        page.advance(afterRunner: last.number)
      } else {
        page.advance(after: last)
      }
    }
  }

  /// The opened rows of a page; a page shorter than its limit is the last.
  ///
  /// - Throws: `unavailable`.
  package func rows(
    of page: DataOfRun, from database: Database
  ) async throws(ApplicationError) -> [CheckInSamples] {
    let rows = try await database.rows(page)
    var opened: [CheckInSamples] = []
    opened.reserveCapacity(rows.count)
    for row in rows {
      opened.append(
        CheckInSamples(
          runID: row.runID, number: row.number, streamSeq: row.streamSeq,
          samples: samples(of: row)))
    }
    return opened
  }

  /// The samples of a row; none for an unreadable row, which is reported.
  package func samples(of row: RunDataRow) -> [Sample] {
    do throws(ApplicationError) { return try opened(row) } catch {
      unreadable.report(row.identity, error)
      return []
    }
  }

  private func opened(_ row: RunDataRow) throws(ApplicationError) -> [Sample] {
    let bytes = try mapStorageError { () throws(CryptographyError) in
      try keys.value.key(of: row.runID).open(
        row.sealed.span, for: Self.context(row.runID, row.number, row.streamSeq))
    }
    return try PackedSamples.decode(bytes)
  }

  /// Samples in their stored form.
  ///
  /// - Throws: `internalError` for a value that is invalid for its type.
  func sealed(
    _ samples: [Sample], _ runID: Int64, _ number: Int32, _ streamSeq: Int64
  ) throws(ApplicationError) -> [UInt8] {
    let packed = try PackedSamples.encode(samples)
    return keys.value.key(of: runID).seal(
      packed.span, for: Self.context(runID, number, streamSeq))
  }

  static func context(_ runID: Int64, _ number: Int32, _ streamSeq: Int64) -> SealContext {
    SealContext(
      table: "run_data", column: "sealed_samples", row: SealRow(runID, Int64(number), streamSeq))
  }
}

/// A runner in a run.
private struct RunnerInRun: Hashable {
  let runID: Int64
  let number: Int32
}
