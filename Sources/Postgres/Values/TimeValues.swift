import Time

/// Microseconds from 1970-01-01 to 2000-01-01, the epoch of PostgreSQL.
private let microsecondsTo2000: Int64 = 946_684_800_000_000
/// Days from 1970-01-01 to 2000-01-01.
private let daysTo2000: Int32 = 10_957

/// An instant as timestamptz. `infinity` and `-infinity` are the extremes of `Int64`; instants so
/// close to them that the server cannot represent them are sent as infinity.
extension Instant: PostgresValue {
  package static var postgresType: PostgresType { .timestamptz }

  package func encode(into bytes: inout [UInt8]) {
    let (moved, overflow) = microsecondsSince1970.subtractingReportingOverflow(microsecondsTo2000)
    let sent = overflow ? Int64.min : self == .infinity ? .max : moved
    sent.appendBigEndian(to: &bytes)
  }

  package static func decode(_ bytes: Span<UInt8>) throws(PostgresError) -> Instant {
    let received: Int64 = try .bigEndian(exactly: bytes)
    if received == .min { return .negativeInfinity }
    let (moved, overflow) = received.addingReportingOverflow(microsecondsTo2000)
    return overflow ? .infinity : Instant(microsecondsSince1970: moved)
  }
}

/// A calendar day as SQL type date, counted from 1970-01-01.
package struct PostgresDate: Sendable, Hashable, Comparable, PostgresValue {
  /// Days since 1970-01-01; `infinity` and `-infinity` are the extremes.
  package let daysSince1970: Int32

  /// Creates a date from its distance to 1970-01-01.
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
