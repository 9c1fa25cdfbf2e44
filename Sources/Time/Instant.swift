/// A point in civil time in microseconds since 1970, without leap seconds (POSIX).
///
/// The resolution is that of clocks and of the database, whose `infinity` and `-infinity` are the
/// extremes of `Int64`. The API has whole milliseconds of the years 1 to 9999: an instant of a
/// clock or a column that is compared with one of the API, or stored as one, is first
/// `flooredToMilliseconds`.
package struct Instant: Comparable, Hashable, Sendable {
  /// Microseconds since 1970-01-01T00:00:00Z, negative before it.
  package let microsecondsSince1970: Int64

  /// The instant this many microseconds after 1970.
  @inlinable package init(microsecondsSince1970: Int64) {
    self.microsecondsSince1970 = microsecondsSince1970
  }

  /// Later than every other instant, in PostgreSQL `infinity`.
  package static let infinity = Instant(microsecondsSince1970: .max)

  /// Earlier than every other instant, in PostgreSQL `-infinity`.
  package static let negativeInfinity = Instant(microsecondsSince1970: .min)

  /// The instant this many milliseconds after 1970, clamped to the years 1 to 9999.
  @inlinable package init(millisecondsSince1970 milliseconds: Int64) {
    self.init(
      microsecondsSince1970: min(max(milliseconds, Self.yearsMin), Self.yearsMax) * 1000)
  }

  /// The first instant that RFC 3339 can write, at the beginning of the year 1.
  package static let firstWritable = Instant(millisecondsSince1970: yearsMin)

  /// The last millisecond that RFC 3339 can write, at the end of the year 9999.
  package static let lastWritable = Instant(millisecondsSince1970: yearsMax)

  /// The first millisecond of the year 1.
  @inlinable static var yearsMin: Int64 { -62_135_596_800_000 }

  /// The last millisecond of the year 9999.
  @inlinable static var yearsMax: Int64 { 253_402_300_799_999 }

  /// Milliseconds since 1970, rounded down.
  @inlinable package var millisecondsSince1970: Int64 {
    let quotient = microsecondsSince1970 / 1000
    return microsecondsSince1970 % 1000 < 0 ? quotient - 1 : quotient
  }

  /// This instant as the API has it: rounded down to milliseconds, in the years 1 to 9999.
  @inlinable package var flooredToMilliseconds: Instant {
    Instant(millisecondsSince1970: millisecondsSince1970)
  }

  /// Whole seconds since 1970, rounded down, in the years 1 to 9999.
  @inlinable package var secondsSince1970: Int64 {
    let milliseconds = min(max(millisecondsSince1970, Self.yearsMin), Self.yearsMax)
    return milliseconds >= 0 ? milliseconds / 1000 : (milliseconds - 999) / 1000
  }

  /// Whether the left instant comes before the right one.
  @inlinable package static func < (left: Self, right: Self) -> Bool {
    left.microsecondsSince1970 < right.microsecondsSince1970
  }

  /// The instant `duration` later, at most an extreme of `Int64`.
  @inlinable package static func + (instant: Self, duration: Duration) -> Self {
    instant.adding(microseconds: duration.wholeNanoseconds / 1000)
  }

  /// The instant `duration` earlier.
  @inlinable package static func - (instant: Self, duration: Duration) -> Self {
    instant + (.zero - duration)
  }

  /// The instant this many milliseconds later, or earlier if negative, clamped to the years 1 to
  /// 9999.
  package func adding(milliseconds: Int64) -> Instant {
    let (product, overflow) = milliseconds.multipliedReportingOverflow(by: 1000)
    let sum = adding(microseconds: overflow ? (milliseconds < 0 ? .min : .max) : product)
    return min(max(sum, .firstWritable), .lastWritable)
  }

  /// The instant this many seconds later, or earlier if negative, clamped to the years 1 to 9999.
  package func adding(seconds: Int64) -> Instant {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return adding(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
  }

  @inlinable func adding(microseconds: Int64) -> Self {
    let (sum, overflow) = microsecondsSince1970.addingReportingOverflow(microseconds)
    return Self(microsecondsSince1970: overflow ? (microseconds < 0 ? .min : .max) : sum)
  }
}
