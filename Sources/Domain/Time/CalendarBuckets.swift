import Time

/// A unit of the calendar; weeks begin on Monday.
package enum CalendarUnit: String, Hashable, Sendable, CaseIterable {
  /// An hour of the clock, divided where clocks change.
  case hour
  /// A calendar day of 23, 24 or 25 hours.
  case day
  /// Monday to Sunday.
  case week
  /// A calendar month.
  case month
  /// A calendar year.
  case year
}

/// The granularity of a series (R17); the raw value is the API's `granularity`.
package enum Granularity: String, Hashable, Sendable, CaseIterable {
  /// Every sample.
  case raw
  /// A point per hour.
  case hour
  /// A point per day.
  case day
  /// A point per week.
  case week
  /// A point per month.
  case month

  /// The calendar unit of one point, nil for single samples.
  package var unit: CalendarUnit? {
    switch self {
    case .raw: nil
    case .hour: .hour
    case .day: .day
    case .week: .week
    case .month: .month
    }
  }
}

extension TimeZoneRules {
  /// The first instant of the unit that contains `time`, and the first one after the unit.
  package func bounds(of unit: CalendarUnit, around time: Instant) -> Range<Instant> {
    if unit == .hour { return hour(around: time) }
    let (first, next) = Self.days(of: unit, around: day(of: time))
    let start = start(of: first)
    // The last representable day has no next one.
    return start..<(next > first ? self.start(of: next) : .lastWritable)
  }

  /// The first day of the unit that contains `day`, and the first one after the unit.
  private static func days(
    of unit: CalendarUnit, around day: CalendarDate
  ) -> (first: CalendarDate, next: CalendarDate) {
    let (year, month, dayOfMonth) = day.components
    switch unit {
    case .hour, .day: return (day, day.adding(days: 1))
    case .week:
      let monday = day.adding(days: 1 - day.weekday)
      return (monday, monday.adding(days: 7))
    case .month:
      let first = day.adding(days: 1 - dayOfMonth)
      return (first, first.adding(days: CalendarDate.days(inMonth: month, year: year)))
    case .year:
      let first = CalendarDate(daysSince1970: CalendarDate.days(year: year, month: 1, day: 1))
      return (first, first.adding(days: CalendarDate.isLeap(year: year) ? 366 : 365))
    }
  }

  private func hour(around time: Instant) -> Range<Instant> {
    let second = time.secondsSince1970
    let (start, end, offset) = interval(at: second)
    let hour = floorDivide(second + Int64(offset), 3600) * 3600 - Int64(offset)
    return Instant(
      millisecondsSince1970: max(hour, start) * 1000)..<Instant(
        millisecondsSince1970: min(hour + 3600, end) * 1000)
  }
}

/// Finds the calendar units of successive instants.
///
/// Remembers the last unit, so that instants in order cost two comparisons each.
package struct CalendarBuckets: Sendable {
  private let rules: TimeZoneRules
  private let unit: CalendarUnit
  private var last: Range<Instant>

  /// Creates a finder for this unit in this time zone.
  package init(_ unit: CalendarUnit, rules: TimeZoneRules) {
    self.rules = rules
    self.unit = unit
    last = Instant.firstWritable..<Instant.firstWritable
  }

  /// The first instant of the unit that contains `time`, and the first one after the unit.
  package mutating func bounds(around time: Instant) -> Range<Instant> {
    if !last.contains(time) { last = rules.bounds(of: unit, around: time) }
    return last
  }
}
