import Time

/// The format of the Date field (RFC 9110, section 5.6.7): `Sun, 06 Nov 1994 08:49:37 GMT`.
package enum HTTPDate {
  private static let days = Array("ThuFriSatSunMonTueWed".utf8)
  private static let months = Array("JanFebMarAprMayJunJulAugSepOctNovDec".utf8)

  /// The 29 bytes for a time, in whole seconds.
  package static func bytes(_ time: Instant) -> [UInt8] {
    let seconds = floorDivide(time.microsecondsSince1970, 1_000_000)
    let day = floorDivide(seconds, 86400)
    let secondOfDay = seconds - day * 86400
    let date = civil(day)
    let weekday = Int(day - floorDivide(day, 7) * 7)
    var text: [UInt8] = []
    text.reserveCapacity(29)
    text += days[weekday * 3..<weekday * 3 + 3]
    text += [0x2C, 0x20]
    append(date.day, to: &text)
    text.append(0x20)
    text += months[(date.month - 1) * 3..<date.month * 3]
    text.append(0x20)
    append(date.year / 100, to: &text)
    append(date.year % 100, to: &text)
    text.append(0x20)
    append(Int(secondOfDay / 3600), to: &text)
    text.append(0x3A)
    append(Int(secondOfDay / 60 % 60), to: &text)
    text.append(0x3A)
    append(Int(secondOfDay % 60), to: &text)
    text.append(literal: " GMT")
    return text
  }

  private static func append(_ value: Int, to text: inout [UInt8]) {
    text.append(UInt8(value / 10 % 10) + 0x30)
    text.append(UInt8(value % 10) + 0x30)
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
    value >= 0 ? value / divisor : -((-value + divisor - 1) / divisor)
  }

  /// Converts days since 1970 to a Gregorian date (Howard Hinnant's `civil_from_days`).
  private static func civil(_ daysSince1970: Int64) -> (year: Int, month: Int, day: Int) {
    let shifted = daysSince1970 + 719_468
    let era = floorDivide(shifted, 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    let month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
    return (Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0), month, day)
  }
}
