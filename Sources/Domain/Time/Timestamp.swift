/// An instant in milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted (POSIX).
///
/// The range is exactly the years 1 to 9999, so that every value can be written as RFC 3339;
/// arithmetic is clamped to the range.
package struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Milliseconds since 1970-01-01T00:00:00Z, negative before it.
  package let millisecondsSince1970: Int64

  /// The first instant of the year 1.
  package static let first = Timestamp(unchecked: -62_135_596_800_000)

  /// The last millisecond of the year 9999.
  package static let last = Timestamp(unchecked: 253_402_300_799_999)

  private init(unchecked milliseconds: Int64) { millisecondsSince1970 = milliseconds }

  /// The instant this many milliseconds after 1970, clamped to the range.
  package init(millisecondsSince1970 milliseconds: Int64) {
    self.init(
      unchecked: min(
        max(milliseconds, Self.first.millisecondsSince1970), Self.last.millisecondsSince1970))
  }

  /// Whether the left instant comes before the right one.
  package static func < (left: Self, right: Self) -> Bool {
    left.millisecondsSince1970 < right.millisecondsSince1970
  }

  /// The instant this many milliseconds later, or earlier if negative.
  package func adding(milliseconds: Int64) -> Timestamp {
    let (sum, overflow) = millisecondsSince1970.addingReportingOverflow(milliseconds)
    return overflow
      ? (milliseconds < 0 ? .first : .last) : Timestamp(millisecondsSince1970: sum)
  }

  /// The instant this many whole seconds later, or earlier if negative.
  package func adding(seconds: Int64) -> Timestamp {
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
    return adding(milliseconds: overflow ? (seconds < 0 ? .min : .max) : product)
  }

  /// Whole seconds since 1970, rounded down.
  package var secondsSince1970: Int64 { floorDivide(millisecondsSince1970, 1000) }

  /// RFC 3339 in UTC, with milliseconds only if they are not zero: `2024-02-06T14:30:00Z`.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends RFC 3339 in UTC to `bytes`: 20 bytes, or 24 with milliseconds.
  package func append(to bytes: inout [UInt8]) {
    let day = floorDivide(millisecondsSince1970, 86_400_000)
    let rest = Int(millisecondsSince1970 - day * 86_400_000)
    CalendarDate(daysSince1970: Int(day)).append(to: &bytes)
    bytes.append(ascii("T"))
    bytes.append(number: rest / 3_600_000, digits: 2)
    bytes.append(ascii(":"))
    bytes.append(number: rest / 60_000 % 60, digits: 2)
    bytes.append(ascii(":"))
    bytes.append(number: rest / 1000 % 60, digits: 2)
    if rest % 1000 != 0 {
      bytes.append(ascii("."))
      bytes.append(number: rest % 1000, digits: 3)
    }
    bytes.append(ascii("Z"))
  }
}

/// The quotient rounded towards minus infinity; the divisor must be positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
  let quotient = dividend / divisor
  return dividend % divisor < 0 ? quotient - 1 : quotient
}
