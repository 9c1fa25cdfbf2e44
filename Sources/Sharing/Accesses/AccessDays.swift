import Domain
import Postgres
import PublicAPI
import ServiceKit
import Time
import Web

/// A person's access record summed by recipient and day (REQ-5), newest day first.
///
/// Days are calendar days. Within a day, recipients are ordered by account number, so that pages
/// stay stable while today's sums grow.
struct AccessDays: Sendable {
  let database: Database
  let zone: TimeZoneRules

  /// The most days that one statement sums.
  static let windowDays = 31

  /// The sums after a cursor: up to `limit`, and one more if another page follows.
  ///
  /// - Throws: `unavailable`.
  func sums(
    of account: AccountID, after cursor: AccessDayCursor, limit: Int
  ) async throws(ApplicationError) -> [AccessDay] {
    var edge = cursor.edge(zone)
    var found: [AccessDay] = []
    while found.count <= limit,
      let newest = try await database.row(NewestAccess(account: account, edge: edge))
    {
      let last = zone.day(of: newest)
      let first = last.adding(days: 1 - Self.windowDays)
      let starts = (0..<Self.windowDays).map {
        zone.start(of: first.adding(days: $0))
      }
      let rows = try await database.rows(
        AccessesOfDays(
          account: account, starts: starts, edge: edge, limit: limit + 1 - found.count))
      found += rows.map { AccessDay(day: first.adding(days: Int($0.number) - 1), sum: $0) }
      edge = AccessEdge(before: starts[0])
    }
    return found
  }
}

/// The accesses of one recipient on one day.
struct AccessDay: Sendable {
  let day: CalendarDate
  let sum: AccessesOfDays.Row

  var cursor: AccessDayCursor { AccessDayCursor(day: day, thirdParty: sum.thirdParty) }
}

/// The position after the sum of a day and recipient.
struct AccessDayCursor: Sendable {
  /// Nil before the first sum.
  private let last: (day: CalendarDate, thirdParty: AccountID)?

  init(day: CalendarDate, thirdParty: AccountID) { last = (day, thirdParty) }

  /// Reads the cursor of a query; without one, the beginning of the list.
  ///
  /// - Throws: `invalid` for a text that is not a cursor of this list.
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

  var text: String? {
    last.map {
      PageCursor.text(
        .accessDays,
        [UInt64($0.day.daysSince1970), UInt64(bitPattern: $0.thirdParty.rawValue)])
    }
  }

  func edge(_ zone: TimeZoneRules) -> AccessEdge {
    guard let last else { return AccessEdge(before: .infinity) }
    return AccessEdge(
      before: zone.start(of: last.day.adding(days: 1)),
      cut: zone.start(of: last.day), after: last.thirdParty)
  }
}

/// The end of the sums already read: all accesses from `before` on, and on the day that begins at
/// `cut` those of recipients up to `after`.
struct AccessEdge: Sendable {
  let before: Instant
  let cut: Instant
  let after: AccountID

  init(before: Instant, cut: Instant, after: AccountID) {
    self.before = before
    self.cut = cut
    self.after = after
  }

  /// At the beginning of a day.
  init(before: Instant) {
    self.init(before: before, cut: before, after: AccountID(rawValue: 0))
  }
}

/// The time of the newest access before an edge.
struct NewestAccess: Statement {
  typealias Row = Instant
  static let sql: SQL<Self> = """
    SELECT accessed_at
      FROM data4help.accesses
     WHERE account_id = \(\.account)
       AND accessed_at < \(\.edge.before)
       AND (accessed_at < \(\.edge.cut) OR third_party_id > \(\.edge.after))
     ORDER BY accessed_at DESC
     LIMIT 1
    """
  let account: AccountID
  let edge: AccessEdge
}

/// The accesses of a window of days before an edge, summed by day and recipient. Reads only the
/// rows of these days.
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
       AND (accessed_at < \(\.edge.cut) OR third_party_id > \(\.edge.after))
     GROUP BY day, third_party_id
     ORDER BY day DESC, third_party_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
  let starts: [Instant]
  let edge: AccessEdge
  let limit: Int
  var first: Instant { starts[0] }
}
