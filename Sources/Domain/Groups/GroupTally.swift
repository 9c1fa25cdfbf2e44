/// Counts the values of one data type over a period, slice by slice: memory grows by one bit per
/// person, independent of the number of days.
package struct GroupTally: Sendable {
  private let coding: DayValueCode
  private let period: ClosedRange<Int32>
  private let noise: PersonNoise
  /// One bit per person with a value, starting with the first block.
  private var contributorBits: [UInt8] = []
  private var daySums: [Int64]
  private var dayPeople: [Int]
  /// The histogram of the people's means.
  package private(set) var histogram: GroupHistogram
  /// The histograms of the parts of a breakdown.
  package private(set) var parts: [GroupHistogram]

  /// Creates an empty tally of a type for a period of days counted from 1970-01-01, with the given
  /// number of parts and noise for each person. `isChosenByLevel` is true if a condition on the
  /// same type selected the people.
  package init(
    _ coding: DayValueCode, period: ClosedRange<Int32>, parts: Int = 0, noise: PersonNoise,
    isChosenByLevel: Bool = false
  ) {
    self.coding = coding
    self.period = period
    self.noise = noise
    daySums = Array(repeating: 0, count: period.count)
    dayPeople = Array(repeating: 0, count: period.count)
    histogram = GroupHistogram(coding, noise, isChosenByLevel: isChosenByLevel)
    self.parts = Array(repeating: histogram, count: parts)
  }

  /// Adds the columns of the next slice; each day and block must be added only once. `parts` holds
  /// the number of each member's part, from 1; 0 for none.
  package mutating func add(
    _ columns: PackedColumns, of type: DataType, _ slice: GroupSlice, parts: [UInt8] = []
  ) {
    let values = SliceValues(columns, of: type, slice, days: period.count, noise: noise)
    for day in daySums.indices {
      daySums[day] += values.daySums[day]
      dayPeople[day] += values.dayPeople[day]
    }
    add(values, of: type, slice, parts)
  }

  private mutating func add(
    _ values: SliceValues, of type: DataType, _ slice: GroupSlice, _ parts: [UInt8]
  ) {
    var bits = [UInt8](repeating: 0, count: slice.masks.count / 8)
    var levels: [Double] = []
    var people: [(member: Int, bin: Int)] = []
    levels.reserveCapacity(slice.masks.count)
    people.reserveCapacity(slice.masks.count)
    for place in slice.masks.indices {
      guard let level = values.level(at: place) else { continue }
      bits[place / 8] |= 1 << UInt8(place % 8)
      levels.append(level)
      people.append((slice.firstMember + place, values.bin(at: place)))
    }
    let draws = noise.bins(type, people)
    for index in people.indices {
      let person = people[index]
      histogram.add(levels[index], bin: person.bin, draws: draws[index])
      guard person.member < parts.count else { continue }
      let part = Int(parts[person.member])
      if part >= 1, part <= self.parts.count {
        self.parts[part - 1].add(levels[index], bin: person.bin, draws: draws[index])
      }
    }
    contributorBits += bits
  }

  /// Appends the counts of the following slices.
  package mutating func append(_ next: GroupTally) {
    contributorBits += next.contributorBits
    for day in daySums.indices {
      daySums[day] += next.daySums[day]
      dayPeople[day] += next.dayPeople[day]
    }
    histogram.add(next.histogram)
    for index in parts.indices { parts[index].add(next.parts[index]) }
  }

  /// The people with a value, provided that the first slice began at block 0.
  package var contributors: MemberSet { MemberSet(bytes: contributorBits).trimmed }

  /// The days on which more people have a value than the threshold (R28); all others are omitted.
  package var largeDays: [Int32] { days(where: GroupThreshold.allows) }

  /// The released days: the large ones. None if a condition on this type selected the people: the
  /// means of days include the levels, which no longer average 0 after such a selection.
  package var releasedDays: [Int32] { histogram.isChosenByLevel ? [] : largeDays }

  /// The days that distinguish this answer from one about nearly the same people over another
  /// period. These are the large days; if there is none, the days on which more than 100 people
  /// have a value, or more than 10, or any. On other days fewer people have values than an attacker
  /// could create accounts.
  package var distinguishingDays: [Int32] {
    for least in [GroupThreshold.people, GroupThreshold.differenceMax, 10] {
      let days = days { $0 > least }
      if !days.isEmpty { return days }
    }
    return days { $0 > 0 }
  }

  private func days(where isCounted: (Int) -> Bool) -> [Int32] {
    dayPeople.indices.filter { isCounted(dayPeople[$0]) }.map { period.lowerBound + Int32($0) }
  }

  /// The number of people with a value on a day of the period.
  package func people(on day: Int32) -> Int { dayPeople[Int(day - period.lowerBound)] }

  /// The released mean of one of the large days, with `releasedPeople` as its number of people.
  package func released(
    _ day: Int32, releasedPeople: Int, with noise: ReleaseNoise
  ) -> ReleasedStatistics.Day {
    let people = Double(people(on: day))
    let mean = coding.value(ofStep: Double(daySums[Int(day - period.lowerBound)]) / people)
    let noisy = mean + noise.influences() * coding.width / people
    let rounding = ReleaseRounding(rangeWidth: coding.width, releasedPeople: releasedPeople)
    return ReleasedStatistics.Day(
      day: day, people: releasedPeople, mean: rounding.round(coding.clamped(noisy)))
  }
}
