import Time

extension Instant {
  /// The time in RFC 3339 form, such as `2026-01-31T12:34:56.789012Z`; years 1 to 9999.
  package var internetText: String {
    let microsecondsPerDay: Int64 = 86_400_000_000
    var days = microsecondsSince1970 / microsecondsPerDay
    var rest = microsecondsSince1970 % microsecondsPerDay
    if rest < 0 {
      days -= 1
      rest += microsecondsPerDay
    }
    let (year, month, day) = Self.civilDate(daysSince1970: days)
    let seconds = rest / 1_000_000
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
      + padded(seconds % 60, 2) + "." + padded(rest % 1_000_000, 6) + "Z"
  }

  /// Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days: years are
  /// counted from March in eras of 400 years, so that the leap day comes last.
  private static func civilDate(
    daysSince1970 days: Int64
  ) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

private func padded(_ number: Int64, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
