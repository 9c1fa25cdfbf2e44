import Domain
import EventLoop
import HTTP
import Privacy
import Services

/// Where a page of a list ended, as an opaque text that clients send back.
///
/// It contains only data that its reader has seen already, so that a modified cursor discloses
/// nothing new; a cursor in another form than this list's is `invalid`.
enum PageCursor {
  /// Which list a cursor belongs to.
  enum List: UInt8 {
    case requests = 1
    case delivery = 2
    case accesses = 3
    case group = 4
    case notices = 8
    case callbacks = 9
    case preconfirmed = 10
    case emergencies = 11
    case emergencyCalls = 12
    case accessDays = 13

    var words: [Word] {
      switch self {
      case .requests, .emergencyCalls: [.time, .bits, .bits]
      case .emergencies: [.time, .bits, .number]
      case .delivery, .group: [.bits, .bits, .number]
      case .callbacks: [.bits, .bits]
      case .preconfirmed: [.time, .number]
      case .accessDays: [.number, .number]
      case .accesses, .notices: [.number]
      }
    }
  }

  /// The meaning of a word in a cursor.
  enum Word {
    /// The time of a stored row in microseconds since 1970, never negative.
    case time
    /// A number or an account, none of which is negative.
    case number
    /// Half of an identifier.
    case bits

    fileprivate func allows(_ word: UInt64) -> Bool {
      switch self {
      case .time, .number: Int64(bitPattern: word) >= 0
      case .bits: true
      }
    }
  }

  static func text(_ list: List, _ words: [UInt64]) -> String {
    let bytes = [list.rawValue] + words.flatMap(\.bigEndianBytes)
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The words of the query's cursor; nil without one.
  ///
  /// - Throws: `invalid` for a text that is no cursor of this list, or with words that no entry can
  ///   have.
  static func words(_ list: List, in query: Query) throws(ApplicationError) -> [UInt64]? {
    guard let text = query["cursor"] else { return nil }
    guard let bytes = Base64.url.decode(text.utf8Span.span), bytes.first == list.rawValue,
      bytes.count == 1 + 8 * list.words.count
    else { throw wrong }
    let words = list.words.indices.map { word in
      UInt64(bigEndianBytes: bytes[(1 + 8 * word)..<(9 + 8 * word)])
    }
    guard zip(list.words, words).allSatisfy({ $0.allows($1) }) else { throw wrong }
    return words
  }

  static var wrong: ApplicationError {
    .invalid("The cursor is not one that this list has given.", field: "cursor")
  }
}

/// The position after a request in a list that is ordered by time and identifier, newest first.
struct RequestPlace: Sendable {
  let createdAt: WallTime
  let requestID: DataRequestID

  /// The position before all requests.
  static let beginning = RequestPlace(
    createdAt: WallTime(microsecondsSince1970: .max),
    requestID: DataRequestID(high: .max, low: .max))

  init(createdAt: WallTime, requestID: DataRequestID) {
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
  func comes(after other: RequestPlace) -> Bool {
    (createdAt, requestID.high, requestID.low)
      < (other.createdAt, other.requestID.high, other.requestID.low)
  }

  /// The position that a query's cursor names, or the beginning.
  ///
  /// - Throws: `invalid` for a text that is no cursor of a list of requests.
  init(_ query: Query) throws(ApplicationError) {
    guard let words = try PageCursor.words(.requests, in: query) else {
      self = .beginning
      return
    }
    self.init(
      createdAt: WallTime(microsecondsSince1970: Int64(bitPattern: words[0])),
      requestID: DataRequestID(high: words[1], low: words[2]))
  }

  var cursor: String {
    PageCursor.text(
      .requests,
      [UInt64(bitPattern: createdAt.microsecondsSince1970), requestID.high, requestID.low])
  }
}

/// The number of entries in a page of a list.
enum PageLimit {
  static let standard = 50

  /// The query's limit, whose bounds were checked with the declared parameters.
  static func count(_ query: Query) -> Int { query["limit"].flatMap { Int($0) } ?? standard }
}
