/// Parses the POSIX `TZ` text at the end of a TZif file, such as `CET-1CEST,M3.5.0,M10.5.0/3` (RFC
/// 8536 section 3.3, with the hours of -167 to 167 of version 3).
enum POSIXTimeZone {
  /// The yearly rule; nil if the text is empty or has no summer time.
  static func yearlyRule(_ text: Span<UInt8>) throws(TimeZoneRulesError) -> YearlyRule? {
    if text.isEmpty { return nil }
    var index = 0
    try skipName(text, &index)
    let standard = try time(text, &index, hoursMax: 24)
    if index == text.count { return nil }
    try skipName(text, &index)
    var summer = standard - 3600
    if !text.has(ascii(","), at: index) { summer = try time(text, &index, hoursMax: 24) }
    try skip(ascii(","), text, &index)
    let begin = try date(text, &index)
    try skip(ascii(","), text, &index)
    let end = try date(text, &index)
    guard index == text.count else { throw .badFooter }
    return YearlyRule(
      standardOffset: Int32(-standard), summerOffset: Int32(-summer), begin: begin, end: end)
  }

  /// The abbreviations of the offsets in the text, in seconds east of UTC: `CET` and `CEST`.
  static func names(_ text: Span<UInt8>) throws(TimeZoneRulesError) -> [Int32: String] {
    var names: [Int32: String] = [:]
    if text.isEmpty { return names }
    var index = 0
    let standardName = try name(text, &index)
    let standard = try time(text, &index, hoursMax: 24)
    names[Int32(-standard)] = standardName
    if index == text.count { return names }
    let summerName = try name(text, &index)
    var summer = standard - 3600
    if !text.has(ascii(","), at: index) { summer = try time(text, &index, hoursMax: 24) }
    names[Int32(-summer)] = summerName
    return names
  }

  private static func name(
    _ text: Span<UInt8>, _ index: inout Int
  ) throws(TimeZoneRulesError) -> String {
    let start = index
    try skipName(text, &index)
    var letters: [UInt8] = []
    for place in start..<index where text[place] != ascii("<") && text[place] != ascii(">") {
      letters.append(text[place])
    }
    return String(decoding: letters, as: UTF8.self)
  }

  private static func skip(
    _ byte: UInt8, _ text: Span<UInt8>, _ index: inout Int
  ) throws(TimeZoneRulesError) {
    guard text.has(byte, at: index) else { throw .badFooter }
    index += 1
  }

  /// A name: three letters or more, or any text between `<` and `>`.
  private static func skipName(
    _ text: Span<UInt8>, _ index: inout Int
  ) throws(TimeZoneRulesError) {
    let start = index
    if text.has(ascii("<"), at: index) {
      while index < text.count, text[index] != ascii(">") { index += 1 }
      try skip(ascii(">"), text, &index)
      return
    }
    while index < text.count, text[index].isLetter { index += 1 }
    guard index - start >= 3 else { throw .badFooter }
  }

  /// `[+-]h[h[h]][:mm[:ss]]` in seconds.
  private static func time(
    _ text: Span<UInt8>, _ index: inout Int, hoursMax: Int
  ) throws(TimeZoneRulesError) -> Int {
    var sign = 1
    if text.has(ascii("-"), at: index) {
      sign = -1
      index += 1
    } else if text.has(ascii("+"), at: index) {
      index += 1
    }
    var seconds = try number(text, &index, in: 0...hoursMax) * 3600
    for unit in [60, 1] where text.has(ascii(":"), at: index) {
      index += 1
      seconds += try number(text, &index, in: 0...59) * unit
    }
    return sign * seconds
  }

  private static func number(
    _ text: Span<UInt8>, _ index: inout Int, in range: ClosedRange<Int>
  ) throws(TimeZoneRulesError) -> Int {
    let start = index
    var value = 0
    while index < text.count, text[index].isDigit, index - start < 3 {
      value = value * 10 + text[index].digitValue
      index += 1
    }
    guard index > start, range.contains(value) else { throw .badFooter }
    return value
  }

  /// `Mm.w.d`, `Jn` or `n`, with `/time` if it is not 02:00.
  private static func date(
    _ text: Span<UInt8>, _ index: inout Int
  ) throws(TimeZoneRulesError) -> YearlyDate {
    let day: YearlyDate.Day
    if text.has(ascii("M"), at: index) {
      index += 1
      let month = try number(text, &index, in: 1...12)
      try skip(ascii("."), text, &index)
      let week = try number(text, &index, in: 1...5)
      try skip(ascii("."), text, &index)
      day = .weekday(try number(text, &index, in: 0...6), week: week, month: month)
    } else if text.has(ascii("J"), at: index) {
      index += 1
      day = .julian(try number(text, &index, in: 1...365))
    } else {
      day = .ordinal(try number(text, &index, in: 0...365))
    }
    guard text.has(ascii("/"), at: index) else { return YearlyDate(day: day, seconds: 7200) }
    index += 1
    return YearlyDate(day: day, seconds: Int64(try time(text, &index, hoursMax: 167)))
  }
}
