import Domain
import ServiceKit
import Time
import Web

/// The position after a request in a list that is ordered by time and identifier, newest first.
struct RequestCursor: Sendable {
  let createdAt: Instant
  let requestID: DataRequestID

  /// The position before all requests.
  static let beginning = RequestCursor(
    createdAt: .infinity, requestID: DataRequestID(high: .max, low: .max))

  init(createdAt: Instant, requestID: DataRequestID) {
    self.createdAt = createdAt
    self.requestID = requestID
  }

  init(after row: SingleRequestRow) {
    self.init(createdAt: row.createdAt, requestID: row.requestID)
  }

  init(after row: GroupRequestRow) {
    self.init(createdAt: row.createdAt, requestID: row.requestID)
  }

  /// Whether this position comes after another one, in a list with the newest first.
  func comes(after other: RequestCursor) -> Bool {
    (createdAt, requestID.high, requestID.low)
      < (other.createdAt, other.requestID.high, other.requestID.low)
  }

  /// The position that a query's cursor names, or the beginning.
  ///
  /// - Throws: `invalid` for a text that is not a cursor of a list of requests.
  init(_ query: Query) throws(ApplicationError) {
    guard let words = try PageCursor.words(.requests, in: query) else {
      self = .beginning
      return
    }
    self.init(
      createdAt: Instant(microsecondsSince1970: Int64(bitPattern: words[0])),
      requestID: DataRequestID(high: words[1], low: words[2]))
  }

  var text: String {
    PageCursor.text(
      .requests,
      [UInt64(bitPattern: createdAt.microsecondsSince1970), requestID.high, requestID.low])
  }
}
