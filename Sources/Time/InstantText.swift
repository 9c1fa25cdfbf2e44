import Bytes

extension Instant: CustomStringConvertible {
  /// RFC 3339 in UTC, with milliseconds only if they are not zero: `2024-02-06T14:30:00Z`.
  package var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends RFC 3339 in UTC to `bytes`: 20 bytes, or 24 with milliseconds.
  ///
  /// Microseconds are cut off, and other years are written as the nearest instant of the years 1 to
  /// 9999.
  package func append(to bytes: inout [UInt8]) {
    let milliseconds = Int(min(max(millisecondsSince1970, Self.yearsMin), Self.yearsMax))
    let rest = (milliseconds % 86_400_000 + 86_400_000) % 86_400_000
    let (year, month, day) = civilDate(daysSince1970: (milliseconds - rest) / 86_400_000)
    bytes.append(number: year, digits: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(number: month, digits: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.append(number: day, digits: 2)
    bytes.append(UInt8(ascii: "T"))
    bytes.append(number: rest / 3_600_000, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(number: rest / 60_000 % 60, digits: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.append(number: rest / 1000 % 60, digits: 2)
    if rest % 1000 != 0 {
      bytes.append(UInt8(ascii: "."))
      bytes.append(number: rest % 1000, digits: 3)
    }
    bytes.append(UInt8(ascii: "Z"))
  }
}
