import JSON
import Postgres
import ServiceKit
import Time
import Web

/// A paged list of runs, the latest start first.
protocol RunList: Statement where Row: RunInList {
  /// The start of the last run on the previous page; nil for the first page.
  var beforeStart: Instant? { get set }
  /// The last run on the previous page.
  var beforeRun: Int64 { get set }
  /// The largest number of runs.
  var limit: Int32 { get set }
}

/// A run in such a list.
protocol RunInList: Sendable {
  /// Its start.
  var startsAt: Instant { get }
  /// Its number.
  var runID: Int64 { get }
}

/// A page of a list of runs.
struct RunListPage<Run: RunInList> {
  /// The runs.
  let runs: ArraySlice<Run>
  private let hasMore: Bool

  /// Reads the page that a query selects by `limit` and `cursor`.
  ///
  /// - Throws: `invalid` for a cursor that no list has returned, `unavailable`.
  init<List: RunList>(
    of list: List, _ query: Query, from database: Database
  ) async throws(ApplicationError) where List.Row == Run {
    var list = list
    let limit = query.pageLimit
    // One row more than shown, which indicates whether another page exists.
    list.limit = limit + 1
    if let cursor = try RunCursor(query) {
      (list.beforeStart, list.beforeRun) = (cursor.startsAt, cursor.runID)
    }
    let rows = try await database.rows(list)
    runs = rows.prefix(Int(limit))
    hasMore = rows.count > runs.count
  }

  /// Writes the cursor of the next page, if there is one.
  func writeNext(to writer: inout JSONWriter) {
    guard hasMore, let last = runs.last else { return }
    writer.field("next", RunCursor(startsAt: last.startsAt, runID: last.runID).text)
  }
}
