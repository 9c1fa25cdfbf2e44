/// The breakdown of a group request's answer: the raw value is the API's `groupBy`.
package enum GroupBreakdown: String, Hashable, Sendable, CaseIterable {
  /// By age bands.
  case ageBand
  /// By sex.
  case sex
  /// By the region of residence.
  case region
}

/// A band of ages in whole years.
package struct AgeBand: Hashable, Sendable, CustomStringConvertible {
  /// The lowest age in it.
  package let first: Int
  /// The highest age in it, nil for the oldest band.
  package let last: Int?

  /// All bands, youngest first.
  package static let all: [AgeBand] = [
    AgeBand(first: 0, last: 17), AgeBand(first: 18, last: 29), AgeBand(first: 30, last: 39),
    AgeBand(first: 40, last: 49), AgeBand(first: 50, last: 59), AgeBand(first: 60, last: 69),
    AgeBand(first: 70, last: 79), AgeBand(first: 80, last: nil),
  ]

  /// The index of an age's band in `all`.
  package static func index(ofAge years: Int) -> Int {
    all.lastIndex { years >= $0.first } ?? 0
  }

  /// `30-39`, or `80+`.
  package var description: String { last.map { "\(first)-\($0)" } ?? "\(first)+" }
}

/// Ages in whole years, and the corresponding birth dates.
package enum Ages {
  /// The age on a day. For a birth on 29 February the birthday in common years is 1 March.
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

  /// The last birth date with at least this age on a day.
  package static func lastBirthDate(ofAge years: Int, on day: CalendarDate) -> CalendarDate {
    let (year, month, dayOfMonth) = day.components
    let born = year - years
    guard born >= 1 else { return .first }
    let last = CalendarDate.days(inMonth: month, year: born)
    return CalendarDate(
      daysSince1970: CalendarDate.days(year: born, month: month, day: min(dayOfMonth, last)))
  }
}
