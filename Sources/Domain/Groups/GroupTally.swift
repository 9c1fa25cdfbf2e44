/// Counts the values of one data type over a period, slice by slice of the people: memory grows by
/// a bit a person, and not with the days.
package struct GroupTally: Sendable {
  private let coding: DayValueCode
  private let period: ClosedRange<Int32>
  /// The bits of the people who have a value, from the first block on.
  private var contributorBits: [UInt8] = []
  private var daySums: [UInt64]
  private var dayPeople: [Int]
  /// The histogram of the people's means.
  package private(set) var histogram: GroupHistogram
  /// The same for the people of each part of a breakdown.
  package private(set) var parts: [GroupHistogram]

  /// No values yet of a type, in a period of days counted from 1970-01-01, broken down into some
  /// parts.
  package init(_ coding: DayValueCode, period: ClosedRange<Int32>, parts: Int = 0) {
    self.coding = coding
    self.period = period
    daySums = Array(repeating: 0, count: period.count)
    dayPeople = Array(repeating: 0, count: period.count)
    histogram = GroupHistogram(coding)
    self.parts = Array(repeating: GroupHistogram(coding), count: parts)
  }

  /// Takes in the columns of the next slice, each of a day and block that was not taken in before;
  /// `parts` has for each member the number of its part from 1 on, 0 for none.
  package mutating func add(
    _ columns: PackedColumns, of type: DataType, _ slice: GroupSlice, parts: [UInt8] = []
  ) {
    let values = SliceValues(columns, of: type, slice, days: period.count)
    for day in daySums.indices {
      daySums[day] += values.daySums[day]
      dayPeople[day] += values.dayPeople[day]
    }
    add(values, slice, parts)
  }

  private mutating func add(_ values: SliceValues, _ slice: GroupSlice, _ parts: [UInt8]) {
    var bits = [UInt8](repeating: 0, count: slice.masks.count / 8)
    for place in slice.masks.indices {
      guard let mean = values.mean(at: place) else { continue }
      bits[place / 8] |= 1 << UInt8(place % 8)
      histogram.add(mean)
      let member = slice.firstMember + place
      guard member < parts.count else { continue }
      let part = Int(parts[member])
      if part >= 1, part <= self.parts.count { self.parts[part - 1].add(mean) }
    }
    contributorBits += bits
  }

  /// Takes in what was counted of the slices behind these.
  package mutating func append(_ next: GroupTally) {
    contributorBits += next.contributorBits
    for day in daySums.indices {
      daySums[day] += next.daySums[day]
      dayPeople[day] += next.dayPeople[day]
    }
    histogram.add(next.histogram)
    for index in parts.indices { parts[index].add(next.parts[index]) }
  }

  /// The people who have a value, where the first slice began at block 0.
  package var contributors: MemberSet { MemberSet(bytes: contributorBits).trimmed }

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
