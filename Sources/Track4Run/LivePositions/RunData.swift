import Domain
import EventLoop
import HTTP
import Operations
import Postgres
import Privacy
import Services

/// What runners share in runs, as it is stored: sealed under a key of the run, removed where they
/// erase it. One per loop.
package struct RunData: Sendable {
  private let keys: LoopBound<Keys>
  /// Where rows that cannot be read are told of.
  let unreadable: UnreadableRows

  /// Keys of runs that stay in memory.
  private static let keysMax = 1_000
  /// Rows that are read at once.
  static let pageMax: Int64 = 500

  /// What stays on the loop.
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

  /// Data under keys that derive from the server's secret; rows that cannot be read are told of
  /// there.
  init(root: RootSecret, unreadable: UnreadableRows, on loop: EventLoop) {
    keys = LoopBound(Keys(root), on: loop)
    self.unreadable = unreadable
  }

  /// Data of who tells nobody of rows that cannot be read.
  package init(root: RootSecret, on loop: EventLoop) {
    self.init(
      root: root, unreadable: UnreadableRows(log: .none, metrics: Metrics(), on: loop), on: loop)
  }

  /// Stores what arrived, a row a runner. What was stored under the same number is left as it is.
  ///
  /// - Throws: 503.
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

  /// What is stored of runners of a run, of all where none are named; of each in no order, and of
  /// each so many at most, those that were stored first.
  ///
  /// - Throws: 503.
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
        page.goOn(behindRunner: last.number)
      } else {
        page.goOn(behind: last)
      }
    }
  }

  /// Rows of a page, opened; one shorter than its limit is the last.
  ///
  /// - Throws: 503.
  func rows(
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

  /// The samples of a row; none of one that is not as it was stored, which is set aside.
  func samples(of row: RunDataRow) -> [Sample] {
    do throws(ApplicationError) { return try opened(row) } catch {
      unreadable.setAside(row.place, error)
      return []
    }
  }

  private func opened(_ row: RunDataRow) throws(ApplicationError) -> [Sample] {
    let bytes = try intact { () throws(PrivacyError) in
      try keys.value.key(of: row.runID).open(
        row.sealed.span, for: Self.place(row.runID, row.number, row.streamSeq))
    }
    return try PackedSamples.decode(bytes)
  }

  /// Samples as they stand in a row.
  ///
  /// - Throws: 500 for a value that is none of its type.
  func sealed(
    _ samples: [Sample], _ runID: Int64, _ number: Int32, _ streamSeq: Int64
  ) throws(ApplicationError) -> [UInt8] {
    let packed = try PackedSamples.encode(samples)
    return keys.value.key(of: runID).seal(
      packed.span, for: Self.place(runID, number, streamSeq))
  }

  private static func place(_ runID: Int64, _ number: Int32, _ streamSeq: Int64) -> SealContext {
    SealContext(
      table: "run_data", column: "sealed_samples", row: SealRow(runID, Int64(number), streamSeq))
  }
}

/// A runner in a run.
private struct RunnerInRun: Hashable {
  let runID: Int64
  let number: Int32
}
