import Time

/// The offsets of one time zone from UTC for every instant, which define its calendar days.
///
/// Parsed once from a TZif file (`TimeZoneRules(tzif:)`), then pure look-ups by binary search. For
/// many look-ups in a row use `CalendarBuckets`, which remembers the last result.
package struct TimeZoneRules: Sendable {
  /// The second (since 1970) at which each offset begins, ascending; the first has no beginning.
  private let starts: [Int64]
  /// The offsets in seconds east of UTC, each from the start with the same index.
  private let offsets: [Int32]
  /// The start of the 400 years after which a yearly rule repeats, nil without yearly rule.
  private let cycleStart: Int64?
  /// Abbreviations by offset, from the rule in force today.
  private let names: [Int32: String]

  /// The Gregorian calendar repeats after 400 years, weekdays included.
  private static let cycleSeconds: Int64 = 146_097 * 86_400

  /// Coordinated universal time: every day has 24 hours.
  package static let utc = TimeZoneRules(
    initialOffset: 0, transitions: [], yearly: nil, names: [0: "UTC"])

  init(
    initialOffset: Int32, transitions: [(Int64, Int32)], yearly rule: YearlyRule?,
    names: [Int32: String]
  ) {
    self.names = names
    var starts: [Int64] = [.min]
    var offsets = [initialOffset]
    for (start, offset) in transitions {
      starts.append(start)
      offsets.append(offset)
    }
    guard let rule else {
      self.starts = starts
      self.offsets = offsets
      cycleStart = nil
      return
    }
    let last = transitions.last?.0
    let firstYear = last.map { CalendarDate.components(secondsSince1970: $0).year } ?? 1
    for (start, offset) in rule.transitions(years: firstYear...(firstYear + 401))
    where last.map({ start > $0 }) ?? true {
      starts.append(start)
      offsets.append(offset)
    }
    self.starts = starts
    self.offsets = offsets
    cycleStart = Int64(CalendarDate.days(year: firstYear + 1, month: 1, day: 1)) * 86_400
  }

  /// The offset from UTC at an instant, in seconds east.
  package func offsetSeconds(at time: Instant) -> Int {
    Int(interval(at: time.secondsSince1970).offset)
  }

  /// The abbreviation of the offset at an instant, such as `CEST`; nil for an offset that the zone
  /// no longer uses.
  package func abbreviation(at time: Instant) -> String? {
    names[Int32(offsetSeconds(at: time))]
  }

  /// The interval around a second in which the offset is constant; its bounds may be the ends of
  /// `Int64`.
  func interval(at second: Int64) -> (start: Int64, end: Int64, offset: Int32) {
    var shift: Int64 = 0
    if let cycleStart, second >= cycleStart + Self.cycleSeconds {
      shift = (second - cycleStart) / Self.cycleSeconds * Self.cycleSeconds
    }
    let wanted = second - shift
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= wanted { low = middle } else { high = middle }
    }
    let start = low == 0 ? Int64.min : starts[low] + shift
    let end = high == starts.count ? Int64.max : starts[high] + shift
    return (start, end, offsets[low])
  }
}

extension TimeZoneRules {
  /// The local calendar day at an instant.
  package func day(of time: Instant) -> CalendarDate {
    let second = time.secondsSince1970
    let local = second + Int64(interval(at: second).offset)
    let day = CalendarDate(daysSince1970: Int(floorDivide(local, 86_400)))
    // Where clocks go back across midnight, the time after the first midnight belongs to the new
    // day.
    let next = day.adding(days: 1)
    return time >= start(of: next) && next > day ? next : day
  }

  /// The first instant of a local calendar day: midnight, or the end of a gap that contains
  /// midnight.
  package func start(of day: CalendarDate) -> Instant {
    let midnight = Int64(day.daysSince1970) * 86_400
    // No offset exceeds 26 hours (RFC 8536 section 3.2), so the search starts early enough.
    var second = midnight - 93_600
    while true {
      let (start, end, offset) = interval(at: second)
      let candidate = max(start, midnight - Int64(offset))
      if candidate < end || end == .max {
        return Instant(millisecondsSince1970: candidate * 1000)
      }
      second = end
    }
  }
}

extension CalendarDate {
  /// The UTC date of a second since 1970.
  static func components(secondsSince1970: Int64) -> (year: Int, month: Int, day: Int) {
    components(daysSince1970: Int(floorDivide(secondsSince1970, 86_400)))
  }
}

/// The quotient rounded towards minus infinity; the divisor must be positive.
func floorDivide(_ dividend: Int64, _ divisor: Int64) -> Int64 {
  let quotient = dividend / divisor
  return dividend % divisor < 0 ? quotient - 1 : quotient
}
