/// A point in civil time in microseconds since 1970, without leap seconds (POSIX).
///
/// The resolution is that of the database. The extremes of `Int64` are `infinity`
/// and `-infinity` of PostgreSQL.
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

  /// Milliseconds since 1970, rounded down.
  @inlinable package var millisecondsSince1970: Int64 {
    let quotient = microsecondsSince1970 / 1000
    return microsecondsSince1970 % 1000 < 0 ? quotient - 1 : quotient
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

  @inlinable func adding(microseconds: Int64) -> Self {
    let (sum, overflow) = microsecondsSince1970.addingReportingOverflow(microseconds)
    return Self(microsecondsSince1970: overflow ? (microseconds < 0 ? .min : .max) : sum)
  }
}
