import AutomatedSOS
import Domain

extension Age {
  /// The age on a day of a person with this birth date. A day before birth or beyond the greatest
  /// age results in the nearest possible age, so that a wrong profile never disables the
  /// thresholds.
  init(from birth: CalendarDate, on day: CalendarDate) {
    let (birthYear, birthMonth, birthDay) = birth.components
    let (year, month, dayOfMonth) = day.components
    let months = (year - birthYear) * 12 + month - birthMonth - (dayOfMonth < birthDay ? 1 : 0)
    self = Age(months: min(max(months, 0), BirthDate.ageMax * 12)) ?? .eighteen
  }
}
