import Domain
import ServiceKit
import Time
import Web

/// The end of a page of runs.
struct RunCursor {
  let startsAt: Instant
  let runID: Int64

  init(startsAt: Instant, runID: Int64) {
    self.startsAt = startsAt
    self.runID = runID
  }

  init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let time = Int64(parts[0]), time >= 0, let runID = Int64(parts[1]),
      runID > 0
    else { return nil }
    self.init(startsAt: Instant(microsecondsSince1970: time), runID: runID)
  }

  /// The cursor of a query; nil without one.
  ///
  /// - Throws: `invalid` for text that is not a cursor.
  init?(_ query: Query) throws(ApplicationError) {
    guard let text = query["cursor"] else { return nil }
    guard let cursor = RunCursor(text) else { throw Self.wrong }
    self = cursor
  }

  /// `invalid`, for a cursor that no list has returned.
  static var wrong: ApplicationError {
    .invalid("The cursor must be the `next` of a page.", field: "cursor")
  }

  var text: String { "\(startsAt.microsecondsSince1970).\(runID)" }
}

extension Query {
  /// The largest number of rows in a page of a list.
  var pageLimit: Int32 { self["limit"].flatMap { Int32($0) } ?? 50 }
}
