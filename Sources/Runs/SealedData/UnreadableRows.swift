import EventLoop
import Operations
import ServiceKit

/// Reports rows that are corrupt or can't be decrypted: each is skipped, so that it affects nothing
/// else, counted and logged once. One per loop.
package struct UnreadableRows: Sendable {
  private let log: Log
  private let count: Counter
  private let known: LoopBound<Known>

  /// The largest number of distinct rows remembered; further ones are not logged.
  static let knownMax = 1_000

  /// The identity of a row.
  package enum RowIdentity: Hashable, Sendable {
    /// A run with its path.
    case run(Int64)
    /// The name of a runner in a run.
    case name(run: Int64, number: Int32)
    /// The data of a runner, with its sequence number.
    case data(run: Int64, number: Int32, streamSeq: Int64)
  }

  private final class Known {
    var rows: Set<RowIdentity> = []
  }

  /// Reports rows to this log and these metrics.
  package init(log: Log, metrics: Metrics, on loop: EventLoop) {
    self.log = log
    count = metrics.counter(
      "trackme_track4run_unreadable_rows_total",
      "Rows skipped because their content was corrupt or could not be decrypted.")
    known = LoopBound(Known(), on: loop)
  }

  /// Counts and logs a row that is skipped.
  func report(_ row: RowIdentity, _ cause: some LogSafe & Error) {
    guard known.value.rows.count < Self.knownMax,
      known.value.rows.insert(row).inserted
    else { return }
    count.increment()
    log.error("read stored row failed", row.fields + [.safe("cause", cause)])
  }

  /// Reads a row; nil if it is unreadable, which is reported.
  ///
  /// - Throws: errors that the row does not cause: `unavailable`.
  package func readable<Value>(
    _ row: RowIdentity, _ read: () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value? {
    do throws(ApplicationError) { return try await read() } catch {
      guard error.reason == .internalError else { throw error }
      report(row, error)
      return nil
    }
  }
}

extension UnreadableRows.RowIdentity {
  fileprivate var fields: [LogField] {
    switch self {
    case .run(let runID): [.constant("table", "runs"), .number("run", runID)]
    case .name(let runID, let number):
      [.constant("table", "enrolments"), .number("run", runID), .number("number", number)]
    case .data(let runID, let number, let streamSeq):
      [
        .constant("table", "run_data"), .number("run", runID), .number("number", number),
        .number("stream_seq", streamSeq),
      ]
    }
  }
}
