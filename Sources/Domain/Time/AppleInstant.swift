import Time

extension Instant {
  /// Parses the time format of Apple Health and Health Auto Export: `2024-02-06 14:30:00 -0800`.
  ///
  /// Throws `malformed` for any other form, `noSuchTime` for a day, hour or offset that does not
  /// exist, `outOfRange` if the UTC time is outside the years 1 to 9999.
  package init(appleExport utf8: Span<UInt8>) throws(InstantError) {
    guard utf8.count == 25, utf8[4] == ascii("-"), utf8[7] == ascii("-"),
      utf8[10] == ascii(" "), utf8[13] == ascii(":"), utf8[16] == ascii(":"),
      utf8[19] == ascii(" "), utf8[20] == ascii("+") || utf8[20] == ascii("-"),
      let year = utf8.digits(4, at: 0), let month = utf8.digits(2, at: 5),
      let day = utf8.digits(2, at: 8), let hour = utf8.digits(2, at: 11),
      let minute = utf8.digits(2, at: 14), let second = utf8.digits(2, at: 17),
      let offsetHours = utf8.digits(2, at: 21), let offsetMinutes = utf8.digits(2, at: 23)
    else { throw .malformed }
    guard year >= 1, month >= 1, month <= 12, day >= 1,
      day <= CalendarDate.days(inMonth: month, year: year), hour <= 23, minute <= 59,
      second <= 59, offsetHours <= 23, offsetMinutes <= 59
    else { throw .noSuchTime }
    let offset = (offsetHours * 60 + offsetMinutes) * (utf8[20] == ascii("-") ? -1 : 1)
    let minutes =
      (CalendarDate.days(year: year, month: month, day: day) * 24 + hour) * 60 + minute - offset
    let milliseconds = Int64(minutes * 60 + second) * 1000
    self.init(millisecondsSince1970: milliseconds)
    guard millisecondsSince1970 == milliseconds else { throw .outOfRange }
  }

  /// Parses the time format of Apple Health, with the errors of `init(appleExport:)`.
  package init(appleExport text: String) throws(InstantError) {
    try self.init(appleExport: text.utf8Span.span)
  }
}
