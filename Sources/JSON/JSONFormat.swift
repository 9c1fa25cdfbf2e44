import Bytes

/// Formats of strings, named as in JSON Schema and OpenAPI.
///
/// The checks refuse texts that are certainly wrong; the domain's parsers decide about the rest.
package enum JSONFormat: String, Sendable, Equatable, CaseIterable {
  /// An existing calendar date, `YYYY-MM-DD`.
  case date
  /// A time with an offset (RFC 3339).
  case dateTime = "date-time"
  /// Non-empty texts on both sides of one `@`, without spaces.
  case email
  /// Groups of eight, four, four, four and twelve hexadecimal digits.
  case uuid
  /// Base64 with padding (RFC 4648, section 4).
  case byte

  /// Describes valid texts, to complete a sentence.
  var expectation: String {
    switch self {
    case .date: "a date such as 2024-02-29"
    case .dateTime: "a time that exists, with its offset, such as 2024-02-29T08:30:00+01:00"
    case .email: "an email address"
    case .uuid: "a UUID such as 123e4567-e89b-12d3-a456-426614174000"
    case .byte: "base64 text"
    }
  }

  /// Whether a text has this format.
  package func accepts(_ text: Span<UInt8>) -> Bool {
    switch self {
    case .date: text.count == 10 && Self.isDate(text)
    case .dateTime: Self.isDateTime(text)
    case .email: Self.isEmail(text)
    case .uuid: UniversalID(text) != nil
    case .byte: Self.isBase64(text)
    }
  }

  /// The number in these digits; nil if a character is missing or not a digit.
  private static func number(_ text: Span<UInt8>, _ range: Range<Int>) -> Int? {
    guard range.upperBound <= text.count else { return nil }
    var value = 0
    for index in range {
      let digit = text[index] &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int(digit)
    }
    return value
  }

  private static func isDate(_ text: Span<UInt8>) -> Bool {
    guard let year = number(text, 0..<4), let month = number(text, 5..<7),
      let day = number(text, 8..<10), text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-")
    else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    switch month {
    case 1, 3, 5, 7, 8, 10, 12: return (1...31).contains(day)
    case 4, 6, 9, 11: return (1...30).contains(day)
    case 2: return (1...(isLeap ? 29 : 28)).contains(day)
    default: return false
    }
  }

  private static func isDateTime(_ text: Span<UInt8>) -> Bool {
    guard text.count >= 20, isDate(text), text[10] | 0x20 == UInt8(ascii: "t"),
      let hour = number(text, 11..<13), let minute = number(text, 14..<16),
      let second = number(text, 17..<19), hour < 24, minute < 60, second <= 60,
      text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":")
    else { return false }
    var index = 19
    if text[index] == UInt8(ascii: ".") {
      index += 1
      while index < text.count, number(text, index..<index + 1) != nil { index += 1 }
      guard index > 20, index < text.count else { return false }
    }
    if text[index] | 0x20 == UInt8(ascii: "z") { return index + 1 == text.count }
    guard index + 6 == text.count, text[index + 3] == UInt8(ascii: ":"),
      text[index] == UInt8(ascii: "+") || text[index] == UInt8(ascii: "-"),
      let hours = number(text, index + 1..<index + 3),
      let minutes = number(text, index + 4..<index + 6)
    else { return false }
    return hours < 24 && minutes < 60
  }

  private static func isEmail(_ text: Span<UInt8>) -> Bool {
    var at: Int?
    for index in text.indices {
      let byte = text[index]
      if byte <= 0x20 || byte == 0x7F { return false }
      if byte == UInt8(ascii: "@") {
        if at != nil { return false }
        at = index
      }
    }
    guard let at else { return false }
    return at > 0 && at < text.count - 1
  }

  private static func isBase64(_ text: Span<UInt8>) -> Bool {
    guard text.count % 4 == 0 else { return false }
    var padding = 0
    for index in text.indices {
      switch text[index] {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "+"), UInt8(ascii: "/"):
        if padding > 0 { return false }
      case UInt8(ascii: "="): padding += 1
      default: return false
      }
    }
    return padding <= 2
  }
}
