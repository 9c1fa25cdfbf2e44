/// How the answer to a group request is broken down: the raw value is the API's `groupBy`.
package enum GroupBreakdown: String, Hashable, Sendable, CaseIterable {
  /// By bands of the age.
  case ageBand
  /// By sex.
  case sex
  /// By the region of residence.
  case region
}

/// Bands of the age in whole years.
package struct AgeBand: Hashable, Sendable, CustomStringConvertible {
  /// The first year of age in it.
  package let first: Int
  /// The last year of age in it, nil for the band of the oldest.
  package let last: Int?

  /// All bands, the youngest first.
  package static let all: [AgeBand] = [
    AgeBand(first: 0, last: 17), AgeBand(first: 18, last: 29), AgeBand(first: 30, last: 39),
    AgeBand(first: 40, last: 49), AgeBand(first: 50, last: 59), AgeBand(first: 60, last: 69),
    AgeBand(first: 70, last: 79), AgeBand(first: 80, last: nil),
  ]

  /// The index in `all` of the band of an age.
  package static func index(ofAge years: Int) -> Int {
    all.lastIndex { years >= $0.first } ?? 0
  }

  /// `30-39`, or `80+`.
  package var description: String { last.map { "\(first)-\($0)" } ?? "\(first)+" }
}

/// Ages in whole years and the birth dates behind them.
package enum Ages {
  /// The age on a day of somebody born on another; born on 29 February one is a year older on
  /// 1 March of a common year.
  package static func years(born: CalendarDate, on day: CalendarDate) -> Int {
    let (birth, now) = (born.components, day.components)
    let hadBirthday = (now.month, now.day) >= (birth.month, birth.day)
    return now.year - birth.year - (hadBirthday ? 0 : 1)
  }

  /// The age in whole months, by the same rule; negative before birth.
  package static func months(born: CalendarDate, on day: CalendarDate) -> Int {
    let (birth, now) = (born.components, day.components)
    let months = (now.year - birth.year) * 12 + now.month - birth.month
    return months - (now.day < birth.day ? 1 : 0)
  }

  /// The last birth date of people who are at least so old on a day.
  package static func lastBirthDate(ofAge years: Int, on day: CalendarDate) -> CalendarDate {
    let (year, month, dayOfMonth) = day.components
    let born = year - years
    guard born >= 1 else { return .first }
    let last = CalendarDate.days(inMonth: month, year: born)
    return CalendarDate(
      daysSince1970: CalendarDate.days(year: born, month: month, day: min(dayOfMonth, last)))
  }
}
