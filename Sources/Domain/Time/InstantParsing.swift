import Time

extension Instant {
  /// Parses a date-time of RFC 3339 with its offset, such as `2024-02-06T14:30:00.250+01:00`.
  ///
  /// `T` and `Z` may be lower case; of up to nine fractional digits the first three count. A leap
  /// second, `:60` in the last UTC minute of a month, is read as 59.999 s of that minute. Throws
  /// `malformed` for any other form, `noSuchTime` for a day, hour or offset that does not exist,
  /// `outOfRange` if the UTC time is outside the years 1 to 9999.
  package init(utf8: Span<UInt8>) throws(InstantError) {
    guard utf8.count >= 20, utf8[4] == ascii("-"), utf8[7] == ascii("-"),
      utf8[10] | 0x20 == ascii("t"), utf8[13] == ascii(":"), utf8[16] == ascii(":"),
      let year = utf8.digits(4, at: 0), let month = utf8.digits(2, at: 5),
      let day = utf8.digits(2, at: 8), let hour = utf8.digits(2, at: 11),
      let minute = utf8.digits(2, at: 14), let second = utf8.digits(2, at: 17)
    else { throw .malformed }
    guard year >= 1, month >= 1, month <= 12, day >= 1,
      day <= CalendarDate.days(inMonth: month, year: year), hour <= 23, minute <= 59, second <= 60
    else { throw .noSuchTime }
    var index = 19
    let fraction = try Self.fraction(utf8, &index)
    let offsetMinutes = try Self.offset(utf8, &index)
    guard index == utf8.count else { throw .malformed }

    let minutes =
      (CalendarDate.days(year: year, month: month, day: day) * 24 + hour) * 60 + minute
      - offsetMinutes
    var milliseconds = Int64(minutes) * 60_000
    if second == 60 {
      guard Self.mayEndInLeapSecond(minutes) else { throw .noSuchTime }
      milliseconds += 59_999
    } else {
      milliseconds += Int64(second * 1000 + fraction)
    }
    self.init(millisecondsSince1970: milliseconds)
    guard millisecondsSince1970 == milliseconds else { throw .outOfRange }
  }

  /// Parses a date-time of RFC 3339, with the errors of `init(utf8:)`.
  package init(_ text: String) throws(InstantError) {
    try self.init(utf8: text.utf8Span.span)
  }

  private static func fraction(
    _ utf8: Span<UInt8>, _ index: inout Int
  ) throws(InstantError) -> Int {
    guard utf8[index] == ascii(".") else { return 0 }
    index += 1
    let start = index
    var milliseconds = 0
    var weight = 100
    while index < utf8.count, utf8[index].isDigit {
      milliseconds += utf8[index].digitValue * weight
      weight /= 10
      index += 1
    }
    guard index > start, index - start <= 9, index < utf8.count else { throw .malformed }
    return milliseconds
  }

  private static func offset(
    _ utf8: Span<UInt8>, _ index: inout Int
  ) throws(InstantError) -> Int {
    let sign = utf8[index]
    if sign | 0x20 == ascii("z") {
      index += 1
      return 0
    }
    guard sign == ascii("+") || sign == ascii("-"), utf8.has(ascii(":"), at: index + 3),
      let hours = utf8.digits(2, at: index + 1), let minutes = utf8.digits(2, at: index + 4)
    else { throw .malformed }
    guard hours <= 23, minutes <= 59 else { throw .noSuchTime }
    index += 6
    return sign == ascii("+") ? hours * 60 + minutes : -(hours * 60 + minutes)
  }

  /// Whether a minute since 1970 is 23:59 UTC of the last day of a month.
  private static func mayEndInLeapSecond(_ minutes: Int) -> Bool {
    let next = minutes + 1
    guard next % 1440 == 0 else { return false }
    return CalendarDate.components(daysSince1970: next / 1440).day == 1
  }
}

/// The reason why a text is not an instant.
package enum InstantError: DomainError {
  /// The text is not a date-time of RFC 3339 with an offset.
  case malformed
  /// The day, the hour or the offset does not exist.
  case noSuchTime
  /// The instant is outside the years 1 to 9999.
  case outOfRange

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .malformed:
      "A time is written as in RFC 3339 with an offset, such as 2024-02-06T14:30:00+01:00."
    case .noSuchTime:
      "There is no such day, time of day or offset; midnight is T00:00:00 of the day that begins."
    case .outOfRange: "A time lies in the years 1 to 9999."
    }
  }
}
