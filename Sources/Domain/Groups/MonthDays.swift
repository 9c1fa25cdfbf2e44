/// A calendar month by its number since January 1970, and its days.
package struct MonthDays: Hashable, Comparable, Sendable {
  /// Months since January 1970, as stored in the database.
  package let number: Int32

  /// The month with this number.
  package init(number: Int32) { self.number = number }

  /// The month of a day counted from 1970-01-01.
  package init(day: Int32) {
    let (year, month, _) = CalendarDate(daysSince1970: Int(day)).components
    number = Int32((year - 1970) * 12 + month - 1)
  }

  /// Whether the left month comes before the right one.
  package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

  /// The days of the month, counted from 1970-01-01.
  package var days: ClosedRange<Int32> {
    let year = 1970 + Int(floorDivide(Int64(number), 12))
    let month = Int(number) - (year - 1970) * 12 + 1
    let first = Int32(CalendarDate.days(year: year, month: month, day: 1))
    return first...(first + Int32(CalendarDate.days(inMonth: month, year: year)) - 1)
  }

  /// The days of the month within a period; nil if there is none.
  package func days(in period: ClosedRange<Int32>) -> ClosedRange<Int32>? {
    let days = days
    guard days.overlaps(period) else { return nil }
    return days.clamped(to: period)
  }

  /// The months that overlap a period.
  package static func touched(by period: ClosedRange<Int32>) -> [MonthDays] {
    (MonthDays(day: period.lowerBound).number...MonthDays(day: period.upperBound).number)
      .map(MonthDays.init(number:))
  }
}
