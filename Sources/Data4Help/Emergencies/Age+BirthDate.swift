import AutomatedSOS
import Domain

extension Age {
  /// The age of who was born on a day, on another one; the nearest possible age for a day before
  /// birth or beyond the greatest age, so that a wrong profile leaves nobody without thresholds.
  init(from birth: CalendarDate, on day: CalendarDate) {
    let (birthYear, birthMonth, birthDay) = birth.components
    let (year, month, dayOfMonth) = day.components
    let months = (year - birthYear) * 12 + month - birthMonth - (dayOfMonth < birthDay ? 1 : 0)
    self = Age(months: min(max(months, 0), BirthDate.ageMax * 12)) ?? .eighteen
  }
}
