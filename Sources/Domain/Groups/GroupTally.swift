/// Counts the values of one data type over a period, person by person and day by day, as their
/// columns arrive: memory grows with the people (eight bytes each) and not with the days.
package struct GroupTally: Sendable {
  /// The bytes of a row: day and block in four bytes each, the highest first, and the column.
  package static let rowBytes = 8 + DayColumn.byteCount

  private let coding: DayValueCode
  private let period: ClosedRange<Int32>
  /// All ones for who is counted, zero for others: what a code is masked with.
  private var masks: [UInt16]
  private var sums: [UInt32]
  private var counts: [UInt16]
  private var daySums: [UInt64]
  private var dayPeople: [Int]

  /// No values yet of a type, in a period of days counted from 1970-01-01, of these people.
  package init(_ coding: DayValueCode, period: ClosedRange<Int32>, people: MemberSet) {
    self.coding = coding
    self.period = period
    let blocks = (people.capacity + DayColumn.people - 1) / DayColumn.people
    let capacity = blocks * DayColumn.people
    masks = Array(repeating: 0, count: capacity)
    for member in 0..<people.capacity where people.contains(member) { masks[member] = .max }
    sums = Array(repeating: 0, count: capacity)
    counts = Array(repeating: 0, count: capacity)
    daySums = Array(repeating: 0, count: period.count)
    dayPeople = Array(repeating: 0, count: period.count)
  }

  /// Takes rows in, each of a day and block that was not taken in before. Days out of the period
  /// and blocks of nobody who is counted are left out, and what is cut off at the end.
  package mutating func add(_ rows: [UInt8]) {
    let bytes = rows.span
    var start = 0
    while start + Self.rowBytes <= bytes.count {
      let day = Self.number(bytes, start)
      let block = Self.number(bytes, start + 4)
      let column = bytes.extracting(start + 8..<start + Self.rowBytes)
      start += Self.rowBytes
      let first = Int(block) * DayColumn.people
      guard period.contains(day), block >= 0, first < masks.count else { continue }
      add(column, day: Int(day - period.lowerBound), first: first)
    }
  }

  private static func number(_ bytes: Span<UInt8>, _ start: Int) -> Int32 {
    Int32(
      bitPattern: UInt32(bytes[start]) << 24 | UInt32(bytes[start + 1]) << 16
        | UInt32(bytes[start + 2]) << 8 | UInt32(bytes[start + 3]))
  }

  private mutating func add(_ column: Span<UInt8>, day: Int, first: Int) {
    let (sum, people) = Self.count(column, masks, &sums, &counts, first: first)
    daySums[day] += UInt64(sum)
    dayPeople[day] += Int(people)
  }

  /// Counts the column of a block whose first member is `first`: the sum of the codes and how many
  /// people have one. Without a branch for a person, so that the processor never guesses.
  private static func count(
    _ column: Span<UInt8>, _ masks: [UInt16], _ sums: inout [UInt32], _ counts: inout [UInt16],
    first: Int
  ) -> (sum: UInt32, people: UInt32) {
    let masks = masks.span
    var sums = sums.mutableSpan
    var counts = counts.mutableSpan
    var sum: UInt32 = 0
    var people: UInt32 = 0
    for place in 0..<DayColumn.people {
      let code =
        (UInt16(column[2 * place]) | UInt16(column[2 * place + 1]) << 8) & masks[first + place]
      let isThere: UInt16 = code == 0 ? 0 : 1
      sums[first + place] &+= UInt32(code)
      counts[first + place] &+= isThere
      // 992 codes of 16 bits stay below 2^26.
      sum &+= UInt32(code)
      people &+= UInt32(isThere)
    }
    return (sum, people)
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
