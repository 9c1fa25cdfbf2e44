import EventLoop

/// Microseconds from 1970-01-01 to 2000-01-01, where PostgreSQL's clock begins.
private let microsecondsTo2000: Int64 = 946_684_800_000_000
/// Days from 1970-01-01 to 2000-01-01.
private let daysTo2000: Int32 = 10_957

/// A point in time as timestamptz. `infinity` and `-infinity` read as the extremes of `Int64`, and
/// times so close to them that the server cannot hold them are sent as these.
extension WallTime: PostgresValue {
  package static var postgresType: PostgresType { .timestamptz }

  package func encode(into bytes: inout [UInt8]) {
    let (moved, overflow) = microsecondsSince1970.subtractingReportingOverflow(microsecondsTo2000)
    let sent = overflow ? Int64.min : microsecondsSince1970 == .max ? .max : moved
    sent.appendBigEndian(to: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> WallTime {
    let received: Int64 = try .bigEndian(exactly: bytes)
    if received == .min { return WallTime(microsecondsSince1970: .min) }
    let (moved, overflow) = received.addingReportingOverflow(microsecondsTo2000)
    return WallTime(microsecondsSince1970: overflow ? .max : moved)
  }
}

/// A day of the calendar as SQL type date, counted from 1970-01-01.
package struct PostgresDate: Sendable, Hashable, Comparable, PostgresValue {
  /// Days since 1970-01-01; `infinity` and `-infinity` are the extremes.
  package let daysSince1970: Int32

  /// A date by its distance from 1970-01-01.
  package init(daysSince1970: Int32) { self.daysSince1970 = daysSince1970 }

  package static func < (left: PostgresDate, right: PostgresDate) -> Bool {
    left.daysSince1970 < right.daysSince1970
  }

  package static var postgresType: PostgresType { .date }

  package func encode(into bytes: inout [UInt8]) {
    let (moved, overflow) = daysSince1970.subtractingReportingOverflow(daysTo2000)
    let sent = overflow ? Int32.min : daysSince1970 == .max ? .max : moved
    sent.appendBigEndian(to: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> PostgresDate {
    let received: Int32 = try .bigEndian(exactly: bytes)
    if received == .min { return PostgresDate(daysSince1970: .min) }
    let (moved, overflow) = received.addingReportingOverflow(daysTo2000)
    return PostgresDate(daysSince1970: overflow ? .max : moved)
  }
}
