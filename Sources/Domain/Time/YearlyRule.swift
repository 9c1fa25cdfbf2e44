/// The part of a POSIX `TZ` text that changes clocks twice a year (RFC 8536 section 3.3).
struct YearlyRule: Sendable {
  /// The offset outside summer time, in seconds east of UTC.
  let standardOffset: Int32
  /// The offset in summer time, in seconds east of UTC.
  let summerOffset: Int32
  /// The start of summer time, in standard time.
  let begin: YearlyDate
  /// The end of summer time, in summer time.
  let end: YearlyDate

  /// The changes of each year as second since 1970 and new offset, ascending.
  func transitions(years: ClosedRange<Int>) -> [(Int64, Int32)] {
    var transitions: [(Int64, Int32)] = []
    transitions.reserveCapacity(2 * years.count)
    for year in years {
      transitions.append((begin.second(in: year) - Int64(standardOffset), summerOffset))
      transitions.append((end.second(in: year) - Int64(summerOffset), standardOffset))
    }
    return transitions.sorted { $0.0 < $1.0 }
  }
}

/// A day and time in every year.
struct YearlyDate: Sendable {
  enum Day: Sendable {
    /// A day of 1–365 that never counts 29 February.
    case julian(Int)
    /// A day of 0–365 that counts 29 February.
    case ordinal(Int)
    /// The n-th (5: the last) weekday (0: Sunday) of a month.
    case weekday(Int, week: Int, month: Int)
  }

  let day: Day
  /// Seconds after midnight, up to a week in either direction.
  let seconds: Int64

  /// Seconds since 1970 as if local time were UTC.
  func second(in year: Int) -> Int64 { Int64(days(in: year)) * 86_400 + seconds }

  private func days(in year: Int) -> Int {
    let newYear = CalendarDate.days(year: year, month: 1, day: 1)
    switch day {
    case .ordinal(let day): return newYear + day
    case .julian(let day):
      return newYear + day - 1 + (day >= 60 && CalendarDate.isLeap(year: year) ? 1 : 0)
    case .weekday(let weekday, let week, let month):
      let first = CalendarDate.days(year: year, month: month, day: 1)
      // 1970-01-01 was a Thursday, weekday 4.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      var day = first + (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      if day >= first + CalendarDate.days(inMonth: month, year: year) { day -= 7 }
      return day
    }
  }
}
