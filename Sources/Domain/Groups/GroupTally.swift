/// Counts the values of one data type over a period, person by person and day by day, as their rows
/// arrive: memory grows with the people (six bytes each) and not with the rows.
package struct GroupTally: Sendable {
  private let coding: DayValueCode
  private let period: ClosedRange<Int32>
  private var sums: [UInt32]
  private var counts: [UInt16]
  private var daySums: [UInt64]
  private var dayPeople: [Int]

  /// No values yet of a type, in a period of days counted from 1970-01-01, of people whose member
  /// numbers are below `capacity`.
  package init(_ coding: DayValueCode, period: ClosedRange<Int32>, capacity: Int) {
    self.coding = coding
    self.period = period
    sums = Array(repeating: 0, count: capacity)
    counts = Array(repeating: 0, count: capacity)
    daySums = Array(repeating: 0, count: period.count)
    dayPeople = Array(repeating: 0, count: period.count)
  }

  /// Takes rows in: each is the member number in four bytes and a code of two bytes for each of
  /// these days, the higher byte first. What is cut off at the end is left out.
  package mutating func add(_ rows: [UInt8], days: ClosedRange<Int32>) {
    let bytes = rows.span
    let stride = 4 + 2 * days.count
    let firstDay = Int(days.lowerBound - period.lowerBound)
    guard firstDay >= 0, days.upperBound <= period.upperBound else { return }
    var start = 0
    while start + stride <= bytes.count {
      let member =
        Int(bytes[start]) << 24 | Int(bytes[start + 1]) << 16 | Int(bytes[start + 2]) << 8
        | Int(bytes[start + 3])
      if member < sums.count {
        var sum: UInt32 = 0
        var count: UInt16 = 0
        var place = start + 4
        for day in firstDay..<firstDay + days.count {
          let code = UInt32(bytes[place]) << 8 | UInt32(bytes[place + 1])
          place += 2
          if code == 0 { continue }
          sum += code
          count += 1
          daySums[day] += UInt64(code)
          dayPeople[day] += 1
        }
        sums[member] += sum
        counts[member] += count
      }
      start += stride
    }
  }

  /// The people who have a value.
  package var contributors: MemberSet {
    var set = MemberSet(capacity: counts.count)
    for member in counts.indices where counts[member] > 0 { set.insert(member) }
    return set
  }

  /// The people whose mean over the period stands in this relation to a bound, which is coded as
  /// the values are, so that equal ones are equal.
  package func people(_ comparison: SearchComparison, _ bound: Double) -> MemberSet {
    let code = Double(coding.code(of: bound))
    var set = MemberSet(capacity: counts.count)
    for member in counts.indices where counts[member] > 0 {
      let mean = Double(sums[member]) / Double(counts[member])
      if comparison.holds(mean, code) { set.insert(member) }
    }
    return set
  }

  /// The histogram of the people's means.
  package var histogram: GroupHistogram {
    var histogram = GroupHistogram(coding)
    for member in counts.indices where counts[member] > 0 {
      histogram.add(Double(sums[member]) / Double(counts[member]))
    }
    return histogram
  }

  /// The histograms of the people of each part; `parts` has for each member the number of its part
  /// from 1 on, 0 for none.
  package func histograms(parts: [UInt8], count: Int) -> [GroupHistogram] {
    var histograms = Array(repeating: GroupHistogram(coding), count: count)
    for member in counts.indices where counts[member] > 0 && member < parts.count {
      let part = Int(parts[member])
      guard part >= 1, part <= count else { continue }
      histograms[part - 1].add(Double(sums[member]) / Double(counts[member]))
    }
    return histograms
  }

  /// The days on which more people have a value than the threshold (R28): every other one is left
  /// out.
  package var releasedDays: [ReleasedStatistics.Day] {
    dayPeople.indices.compactMap { index in
      let people = dayPeople[index]
      guard GroupThreshold.allows(people) else { return nil }
      let mean = coding.value(of: Double(daySums[index]) / Double(people))
      let rounding = ReleaseRounding(rangeWidth: coding.width, people: people)
      return ReleasedStatistics.Day(
        day: period.lowerBound + Int32(index), people: GroupThreshold.released(people),
        mean: rounding.round(mean))
    }
  }
}
