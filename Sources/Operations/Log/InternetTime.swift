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
    let (year, month, day) = civilDate(daysSince1970: Int(days))
    let seconds = rest / 1_000_000
    return padded(year, 4) + "-" + padded(month, 2) + "-" + padded(day, 2) + "T"
      + padded(seconds / 3600, 2) + ":" + padded(seconds / 60 % 60, 2) + ":"
      + padded(seconds % 60, 2) + "." + padded(rest % 1_000_000, 6) + "Z"
  }
}

private func padded(_ number: some BinaryInteger, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}
