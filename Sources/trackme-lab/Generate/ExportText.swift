import Domain

/// Writes times in Apple's format, `2024-02-06 14:30:00 +0100`. It caches the formatted day,
/// because most records fall on the same day as the one before.
struct ExportClock {
  private var day = Int64.min
  private var text: [UInt8] = []

  /// Adds a time, in seconds since 1970, at an offset of one hour.
  mutating func append(_ time: Int64, to bytes: inout [UInt8]) {
    let local = time + 3_600
    let ofDay = Int(local % 86_400)
    if local / 86_400 != day {
      day = local / 86_400
      text = Array("\(CalendarDate(daysSince1970: Int(day))) ".utf8)
    }
    bytes.append(contentsOf: text)
    bytes.append(twoDigits: ofDay / 3_600)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(twoDigits: ofDay / 60 % 60)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(twoDigits: ofDay % 60)
    bytes.append(" +0100")
  }
}

extension [UInt8] {
  /// Adds the UTF-8 of a text.
  mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(contentsOf: $0) }  // SAFETY: lent for the call, and copied.
  }

  /// Adds the UTF-8 of a text.
  mutating func append(_ text: String) { append(contentsOf: text.utf8) }

  /// Adds two decimal digits of a number under 100.
  mutating func append(twoDigits number: Int) {
    append(UInt8(48 + number / 10))
    append(UInt8(48 + number % 10))
  }

  /// Adds a number that is not negative.
  mutating func append(number: Int) {
    if number >= 10 { append(number: number / 10) }
    append(UInt8(48 + number % 10))
  }

  /// Adds a number of thousandths as a decimal.
  mutating func append(thousandths number: Int) {
    append(number: number / 1_000)
    append(UInt8(ascii: "."))
    append(UInt8(48 + number / 100 % 10))
    append(twoDigits: number % 100)
  }
}
