import Domain
import EventLoop
import HTTP
import Postgres
import Privacy
import PublicAPI
import Services

/// A person's record of accesses added up by recipient and day (REQ-5), the newest day first.
///
/// Days are those of the calendar; within one, recipients come in the order of their account
/// numbers, so that pages stay as they are while today's sums grow.
struct AccessDays: Sendable {
  let surroundings: Surroundings

  /// Days that one statement adds up at most.
  static let windowDays = 31

  /// The sums after a place, up to `limit` and one more, which says that another page follows.
  ///
  /// - Throws: 503.
  func sums(
    of account: AccountID, behind place: AccessDayPlace, limit: Int
  ) async throws(ApplicationError) -> [AccessDay] {
    let zone = surroundings.zone
    var edge = place.edge(zone)
    var found: [AccessDay] = []
    while found.count <= limit,
      let newest = try await surroundings.database.row(NewestAccess(account: account, edge: edge))
    {
      let last = zone.day(of: newest.timestamp)
      let first = last.adding(days: 1 - Self.windowDays)
      let starts = (0..<Self.windowDays).map {
        WallTime(zone.start(of: first.adding(days: $0)))
      }
      let rows = try await surroundings.database.rows(
        AccessesOfDays(
          account: account, starts: starts, edge: edge, limit: limit + 1 - found.count))
      found += rows.map { AccessDay(day: first.adding(days: Int($0.number) - 1), sum: $0) }
      edge = AccessEdge(before: starts[0])
    }
    return found
  }
}

/// What one recipient got on one day.
struct AccessDay: Sendable {
  let day: CalendarDate
  let sum: AccessesOfDays.Row

  var place: AccessDayPlace { AccessDayPlace(day: day, thirdParty: sum.thirdParty) }
}

/// The place after the sum of a day and recipient.
struct AccessDayPlace: Sendable {
  /// Nil before all of them.
  private let last: (day: CalendarDate, thirdParty: AccountID)?

  init(day: CalendarDate, thirdParty: AccountID) { last = (day, thirdParty) }

  /// The place that a query's cursor names, or the beginning.
  ///
  /// - Throws: 400 for a text that is no cursor of this list.
  init(_ query: Query) throws(ApplicationError) {
    guard let words = try PageCursor.words(.accessDays, in: query) else {
      last = nil
      return
    }
    guard let day = Int32(exactly: words[0]) else { throw PageCursor.wrong }
    last = (
      CalendarDate(daysSince1970: Int(day)), AccountID(rawValue: Int64(bitPattern: words[1]))
    )
  }

  var cursor: String? {
    last.map {
      PageCursor.text(
        .accessDays,
        [UInt64($0.day.daysSince1970), UInt64(bitPattern: $0.thirdParty.rawValue)])
    }
  }

  func edge(_ zone: TimeZoneRules) -> AccessEdge {
    guard let last else { return AccessEdge(before: WallTime(microsecondsSince1970: .max)) }
    return AccessEdge(
      before: WallTime(zone.start(of: last.day.adding(days: 1))),
      cut: WallTime(zone.start(of: last.day)), behind: last.thirdParty)
  }
}

/// The end of the sums that were read: all accesses from `before` on, and in the day that begins at
/// `cut` those of recipients up to `behind`.
struct AccessEdge: Sendable {
  let before: WallTime
  let cut: WallTime
  let behind: AccountID

  init(before: WallTime, cut: WallTime, behind: AccountID) {
    self.before = before
    self.cut = cut
    self.behind = behind
  }

  /// At the beginning of a day.
  init(before: WallTime) {
    self.init(before: before, cut: before, behind: AccountID(rawValue: 0))
  }
}

/// When the newest access on this side of an edge was.
struct NewestAccess: Statement {
  typealias Row = WallTime
  static let sql: SQL<Self> = """
    SELECT accessed_at
      FROM data4help.accesses
     WHERE account_id = \(\.account)
       AND accessed_at < \(\.edge.before)
       AND (accessed_at < \(\.edge.cut) OR third_party_id > \(\.edge.behind))
     ORDER BY accessed_at DESC
     LIMIT 1
    """
  let account: AccountID
  let edge: AccessEdge
}

/// The accesses of a window of days on this side of an edge, added up by day and recipient. Reads
/// the rows of these days alone.
struct AccessesOfDays: Statement {
  struct Row: Sendable {
    /// The day's number in the window, from 1.
    let number: Int32
    let thirdParty: AccountID
    let types: DataTypeSet
    let samples: Int64
    let deliveries: Int64
  }
  static let sql: SQL<Self> = """
    SELECT width_bucket(accessed_at, \(\.starts)) AS day, third_party_id, bit_or(types),
           sum(n)::int8, count(*)
      FROM data4help.accesses
     WHERE account_id = \(\.account)
       AND accessed_at >= \(\.first)
       AND accessed_at < \(\.edge.before)
       AND (accessed_at < \(\.edge.cut) OR third_party_id > \(\.edge.behind))
     GROUP BY day, third_party_id
     ORDER BY day DESC, third_party_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let starts: [WallTime]
  let edge: AccessEdge
  let limit: Int
  var first: WallTime { starts[0] }
}
