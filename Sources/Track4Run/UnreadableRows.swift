import EventLoop
import HTTP
import Operations
import Services

/// Rows that are not as they were stored: each is set aside, so that it stops nothing else, counted
/// and logged once. One per loop.
package struct UnreadableRows: Sendable {
  private let log: Log
  private let count: Counter
  private let known: LoopBound<Known>

  /// Rows that are told apart at most; none is logged beyond them.
  static let knownMax = 1_000

  /// Where a row stands.
  enum Place: Hashable, Sendable {
    /// A run with its path.
    case run(Int64)
    /// What a runner is called in a run.
    case name(run: Int64, number: Int32)
    /// What a runner shared, under a number of the sequence.
    case data(run: Int64, number: Int32, streamSeq: Int64)
  }

  private final class Known {
    var places: Set<Place> = []
  }

  /// Tells this log and these metrics of rows.
  package init(log: Log, metrics: Metrics, on loop: EventLoop) {
    self.log = log
    count = metrics.counter(
      "trackme_track4run_unreadable_rows_total",
      "Rows skipped because their content was corrupt or could not be decrypted.")
    known = LoopBound(Known(), on: loop)
  }

  /// Notes a row that is set aside.
  func setAside(_ place: Place, _ cause: some LogSafe & Error) {
    guard known.value.places.count < Self.knownMax,
      known.value.places.insert(place).inserted
    else { return }
    count.increment()
    log.error("read stored row failed", place.fields + [.safe("cause", cause)])
  }

  /// What can be read of a row; nil of one that is not as it was stored, which is set aside.
  ///
  /// - Throws: what is no fault of the row: 503.
  func readable<Value>(
    _ place: Place, _ read: () async throws(ApplicationError) -> Value
  ) async throws(ApplicationError) -> Value? {
    do throws(ApplicationError) { return try await read() } catch {
      guard error.reason == .internalError else { throw error }
      setAside(place, error)
      return nil
    }
  }
}

extension UnreadableRows.Place {
  fileprivate var fields: [LogField] {
    switch self {
    case .run(let runID): [.word("table", "runs"), .number("run", runID)]
    case .name(let runID, let number):
      [.word("table", "enrolments"), .number("run", runID), .number("number", number)]
    case .data(let runID, let number, let streamSeq):
      [
        .word("table", "run_data"), .number("run", runID), .number("number", number),
        .number("stream_seq", streamSeq),
      ]
    }
  }
}
