import EventLoop
import HTTP
import JSON
import Postgres
import Services

/// A list of runs, the newest start first, that is read page by page.
protocol RunList: Statement where Row: RunInList {
  /// Where the page before ended; nil for the first page.
  var beforeStart: WallTime? { get set }
  /// The run with which it ended.
  var beforeRun: Int64 { get set }
  /// Runs at most.
  var limit: Int32 { get set }
}

/// A run of such a list.
protocol RunInList: Sendable {
  /// When it begins.
  var startsAt: WallTime { get }
  /// Its number.
  var runID: Int64 { get }
}

/// A page of a list of runs.
struct RunListPage<Run: RunInList> {
  /// The runs.
  let runs: ArraySlice<Run>
  private let hasMore: Bool

  /// Reads the page of a list that a query asks for by `limit` and `cursor`.
  ///
  /// - Throws: 400 for a cursor that no list has given, 503.
  init<List: RunList>(
    of list: List, _ query: Query, from database: Database
  ) async throws(ApplicationError) where List.Row == Run {
    var list = list
    let limit = query.pageLimit
    // One more than is shown says whether there are more.
    list.limit = limit + 1
    if let cursor = try RunCursor(query) {
      (list.beforeStart, list.beforeRun) = (cursor.startsAt, cursor.runID)
    }
    let rows = try await database.rows(list)
    runs = rows.prefix(Int(limit))
    hasMore = rows.count > runs.count
  }

  /// Writes the cursor of the next page, where there is one.
  func writeNext(to writer: inout JSONWriter) {
    guard hasMore, let last = runs.last else { return }
    writer.field("next", RunCursor(startsAt: last.startsAt, runID: last.runID).text)
  }
}
