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
    let date = civilDate(daysSince1970: Int(day))
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
}
