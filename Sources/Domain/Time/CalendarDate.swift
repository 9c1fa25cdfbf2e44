import Bytes
import Time

/// A day of the Gregorian calendar without a time zone, from 0001-01-01 to 9999-12-31.
///
/// Written `YYYY-MM-DD` (RFC 3339 full-date). Arithmetic is clamped to the range.
package struct CalendarDate: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// Days since 1970-01-01, negative before it.
  package let daysSince1970: Int

  /// The first representable day, 0001-01-01.
  package static let first = CalendarDate(unchecked: -719_162)

  /// The last representable day, 9999-12-31.
  package static let last = CalendarDate(unchecked: 2_932_896)

  private init(unchecked days: Int) { daysSince1970 = days }

  /// The day this many days after 1970-01-01, clamped to the range.
  package init(daysSince1970 days: Int) {
    self.init(
      unchecked: min(max(days, Self.first.daysSince1970), Self.last.daysSince1970))
  }

  /// Creates a day from its numbers.
  ///
  /// Throws `noSuchDay` for a day that does not exist in the calendar.
  package init(year: Int, month: Int, day: Int) throws(CalendarDateError) {
    guard (1...9999).contains(year), (1...12).contains(month),
      (1...Self.days(inMonth: month, year: year)).contains(day)
    else { throw .noSuchDay }
    self.init(unchecked: Self.days(year: year, month: month, day: day))
  }

  /// Parses exactly `YYYY-MM-DD`.
  ///
  /// Throws `malformed` for any other form and `noSuchDay` for a day that does not exist in the
  /// calendar.
  package init(utf8: Span<UInt8>) throws(CalendarDateError) {
    guard utf8.count == 10, utf8[4] == ascii("-"), utf8[7] == ascii("-"),
      let year = utf8.digits(4, at: 0), let month = utf8.digits(2, at: 5),
      let day = utf8.digits(2, at: 8)
    else { throw .malformed }
    try self.init(year: year, month: month, day: day)
  }

  /// Parses exactly `YYYY-MM-DD`, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(CalendarDateError) {
    try self.init(utf8: text.utf8Span.span)
  }

  /// Whether the left day comes before the right one.
  package static func < (left: Self, right: Self) -> Bool {
    left.daysSince1970 < right.daysSince1970
  }

  /// The day this many days later, or earlier if negative.
  package func adding(days: Int) -> CalendarDate {
    let (sum, overflow) = daysSince1970.addingReportingOverflow(days)
    return CalendarDate(daysSince1970: overflow ? (days < 0 ? .min : .max) : sum)
  }

  /// The year, month and day of this date.
  package var components: (year: Int, month: Int, day: Int) {
    Self.components(daysSince1970: daysSince1970)
  }

  /// The day of the week, 1 for Monday to 7 for Sunday (ISO 8601).
  package var weekday: Int { (daysSince1970 + 719_162 + 7) % 7 + 1 }

  /// `YYYY-MM-DD`.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends the ten bytes `YYYY-MM-DD` to `bytes`.
  package func append(to bytes: inout [UInt8]) {
    let (year, month, day) = components
    bytes.append(number: year, digits: 4)
    bytes.append(ascii("-"))
    bytes.append(number: month, digits: 2)
    bytes.append(ascii("-"))
    bytes.append(number: day, digits: 2)
  }
}

extension CalendarDate {
  /// Whether a year has 366 days.
  package static func isLeap(year: Int) -> Bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
  }

  /// The number of days of a month, 1 to 12, in a year.
  package static func days(inMonth month: Int, year: Int) -> Int {
    switch month {
    case 2: isLeap(year: year) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Days since 1970 of a civil date (Howard Hinnant, "chrono-compatible low-level date
  /// algorithms", `days_from_civil`).
  static func days(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = (shifted >= 0 ? shifted : shifted - 399) / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  /// The civil date of a number of days since 1970 (the same source, `civil_from_days`).
  static func components(daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
    civilDate(daysSince1970: daysSince1970)
  }
}

/// The reason why a text or three numbers are not a calendar date.
package enum CalendarDateError: DomainError {
  /// The text is not `YYYY-MM-DD`.
  case malformed
  /// The calendar has no such day.
  case noSuchDay

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed: "A date is written YYYY-MM-DD."
    case .noSuchDay: "The calendar has no such day."
    }
  }
}
