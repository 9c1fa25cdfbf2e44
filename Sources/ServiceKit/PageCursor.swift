import Bytes
import Domain
import Web

/// Where a page of a list ended, as an opaque text that clients send back.
///
/// It contains only data that its reader has seen already, so that a modified cursor discloses
/// nothing new; a cursor in a form other than this list's is `invalid`.
package enum PageCursor {
  /// Which list a cursor belongs to.
  package enum List: UInt8 {
    case requests = 1
    case delivery = 2
    case accesses = 3
    case group = 4
    case notices = 8
    case callbacks = 9
    case trustedThirdParties = 10
    case emergencies = 11
    case emergencyCalls = 12
    case accessDays = 13

    var words: [Word] {
      switch self {
      case .requests, .emergencyCalls: [.time, .bits, .bits]
      case .emergencies: [.time, .bits, .number]
      case .delivery, .group: [.bits, .bits, .number]
      case .callbacks: [.bits, .bits]
      case .trustedThirdParties: [.time, .number]
      case .accessDays: [.number, .number]
      case .accesses, .notices: [.number]
      }
    }
  }

  /// The meaning of a word in a cursor.
  enum Word {
    /// The time of a stored row in microseconds since 1970, never negative.
    case time
    /// A number or an account, never negative.
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

  /// A cursor of these words.
  package static func text(_ list: List, _ words: [UInt64]) -> String {
    let bytes = [list.rawValue] + words.flatMap(\.bigEndianBytes)
    var text: [UInt8] = []
    Base64.url.append(bytes.span, to: &text)
    return String(decoding: text, as: UTF8.self)
  }

  /// The words of the query's cursor; nil without one.
  ///
  /// - Throws: `invalid` for a text that is not a cursor of this list, or with words that no entry
  ///   can have.
  package static func words(_ list: List, in query: Query) throws(ApplicationError) -> [UInt64]? {
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

  /// The refusal of a cursor that its list has not given.
  package static var wrong: ApplicationError {
    .invalid("The cursor is not one that this list has returned.", field: "cursor")
  }
}

/// The number of entries in a page of a list.
package enum PageLimit {
  /// The number without a limit in the query.
  package static let standard = 50

  /// The query's limit, whose bounds were checked with the declared parameters.
  package static func count(_ query: Query) -> Int {
    query["limit"].flatMap { Int($0) } ?? standard
  }
}
