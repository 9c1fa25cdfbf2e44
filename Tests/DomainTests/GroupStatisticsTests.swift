import Domain
import Requirements
import Support
import Testing

/// The reference for a tally: counts a group person by person, and the parts 1 and 2 of four.
private struct CountedByHand {
  let type: DataType
  let coding: DayValueCode
  let noise: PersonNoise
  var histogram: GroupHistogram
  var contributors = MemberSet()
  var parts = [0, 0]
  private var days = [Int](repeating: 0, count: 5)
  private var daySums = [Int](repeating: 0, count: 5)

  init(_ type: DataType, _ coding: DayValueCode, _ noise: PersonNoise) {
    (self.type, self.coding, self.noise) = (type, coding, noise)
    histogram = GroupHistogram(coding, noise)
  }

  /// The mean of a person's steps, with the person's level.
  static func level(
    _ codes: [Int], _ type: DataType, of member: Int, _ noise: PersonNoise
  ) -> Double? {
    let values = codes.filter { $0 > 0 }.map { $0 / 8 }
    guard !values.isEmpty else { return nil }
    let level = noise.levels(type, from: member, count: 1)[0]
    return Double(values.reduce(0, +)) / Double(values.count) + Double(level)
  }

  mutating func add(_ member: Int, _ codes: [Int]) {
    guard let level = Self.level(codes, type, of: member, noise) else { return }
    let bins = codes.filter { $0 > 0 }.map { $0 % 8 }
    let bin = Int((Double(bins.reduce(0, +)) / Double(bins.count)).rounded())
    contributors.insert(member)
    histogram.add(level, bin: bin, draws: noise.bins(type, [(member, bin)])[0])
    if (1...2).contains(member % 4) { parts[member % 4 - 1] += 1 }
    let own = Int(noise.levels(type, from: member, count: 1)[0])
    for (day, code) in codes.enumerated() where code > 0 {
      days[day] += 1
      daySums[day] += code / 8 + own
    }
  }

  func releasedDays(from first: Int) -> [String] {
    days.indices.filter { days[$0] > 1000 }.map { day in
      let mean = coding.value(ofStep: Double(daySums[day]) / Double(days[day]))
      let shown = days[day] / 10 * 10
      let rounding = ReleaseRounding(rangeWidth: coding.width, releasedPeople: shown)
      return "\(first + day): \(shown), \(rounding.round(mean))"
    }
  }
}

@Suite("the statistics of groups")
struct GroupStatisticsTests {
  let coding = DayValueCode(.heartRate)

  /// A tally of people with the same value every day of the period, all of whom are selected.
  private func counted(
    _ values: [Double], _ coding: DayValueCode, _ period: ClosedRange<Int32>
  ) -> GroupTally {
    var people = MemberSet()
    for member in values.indices { people.insert(member) }
    var tally = GroupTally(coding, period: period, noise: .silent)
    let blocks = 0..<ColumnPosition(member: Int32(values.count)).block + 1
    tally.add(rows(values, coding, period), of: .heartRate, GroupSlice(blocks, of: people))
    return tally
  }

  private func rows(
    _ values: [Double], _ coding: DayValueCode, _ period: ClosedRange<Int32>
  ) -> PackedColumns {
    var columns: [Int32: DayColumn] = [:]
    for (member, value) in values.enumerated() {
      let position = ColumnPosition(member: Int32(member))
      columns[position.block, default: DayColumn()][position.index] = coding.code(
        of: value, with: 0)
    }
    var bytes: [UInt8] = []
    for day in 0..<Int32(period.count) {
      for (block, column) in columns { bytes += row(.heartRate, day, block, column) }
    }
    return PackedColumns(bytes)
  }

  /// A column as returned by the database, for a day counted from the start of the period.
  private func row(
    _ type: DataType, _ day: Int32, _ block: Int32, _ column: DayColumn
  ) -> [UInt8] {
    var bytes = [type.rawValue]
    for shift in [16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: day >> shift)) }
    for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: block >> shift)) }
    return bytes + column.bytes
  }

  @Test("a day's value is clamped to the range that groups count, before its draw", .tags(.GRP_1))
  func clamped() throws {
    let coding = try #require(coding)
    let (lowest, highest) = (coding.code(of: 40, with: 0), coding.code(of: 120, with: 0))
    #expect((lowest % 8, highest % 8) == (0, 7))
    for value in [20, -1000.0] { #expect(coding.code(of: value, with: 0) == lowest) }
    for value in [250, 1e9] { #expect(coding.code(of: value, with: 0) == highest) }
    #expect(abs(coding.value(ofStep: Double(coding.code(of: 61.7, with: 0) / 8)) - 61.7) < 0.03)
    // Draws of 5 deviations of 10 BPM are not clamped, and do not change the bin.
    for (value, draw, moved) in [(250.0, 5.0, 170.0), (20, -5, -10), (80, -4, 40)] {
      let code = coding.code(of: value, with: draw)
      #expect(coding.value(ofStep: Double(code / 8)) == moved)
      #expect(code % 8 == coding.code(of: value, with: 0) % 8)
    }
    #expect(DayValueCode(.position) == nil)
  }

  @Test(
    "every numeric type has a range within which no draw of a day is clamped", .tags(.GRP_1))
  func ranges() throws {
    for type in DataType.allCases {
      let range = GroupRange.of(type)
      #expect((range != nil) == type.isNumeric)
      guard let range, let plausible = type.plausibleRange else { continue }
      let width = range.values.upperBound - range.values.lowerBound
      #expect((0...width / 4).contains(range.dayDeviation), "\(type)")
      #expect(range.values.overlaps(plausible), "\(type)")
      let coding = try #require(DayValueCode(type))
      for draw in [-5.0, 0, 5] {
        for value in [range.values.lowerBound, range.values.upperBound] {
          let step = Double(coding.code(of: value, with: draw) / 8)
          let moved = value + draw * range.dayDeviation
          #expect(abs(coding.value(ofStep: step) - moved) <= width / 3_000, "\(type)")
        }
      }
    }
  }

  @Test(
    "slices and shares of people yield exactly the same as counting person by person",
    .tags(.R29))
  func model() throws {
    let coding = try #require(coding)
    for seed in 1...5 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      let noise = seed == 1 ? PersonNoise.silent : .seeded(seed)
      // Six blocks, the last of them truncated; a third of the people is not selected. The values
      // of steps are requested, and the mean of the heart rate is a condition.
      let period: ClosedRange<Int32> = 100...104
      let members = (0..<5_700).map { _ in Int.random(in: 0..<3, using: &random) > 0 }
      var people = MemberSet()
      for member in members.indices where members[member] { people.insert(member) }
      var columns: [DataType: [[DayColumn]]] = [:]
      for type in [DataType.heartRate, .steps] {
        columns[type] = (0...5).map { _ in
          (0..<6).map { _ in
            var column = DayColumn()
            for place in 0..<DayColumn.people where Bool.random(using: &random) {
              column[place] = UInt16.random(in: 1...UInt16.max, using: &random)
            }
            return column
          }
        }
      }
      let nobody = try #require(
        GroupCount(
          DataTypeSet([.steps]), where: [(.heartRate, .atLeast, 40)], period: period, parts: 2,
          noise: noise))
      let parts = members.indices.map { UInt8($0 % 4) }
      var whole = nobody
      for share in [0..<4, 4..<6] as [Range<Int32>] {
        var count = nobody
        for block in share {
          // A sixth day and a block of another slice are outside the period.
          var bytes = row(.steps, 0, 7, columns[.steps]?[0][0] ?? DayColumn())
          for (type, days) in columns {
            for day in (0..<6).shuffled(using: &random) {
              bytes += row(type, Int32(day), block, days[day][Int(block)])
            }
          }
          count.add(
            PackedColumns(bytes), GroupSlice(block..<block + 1, of: people), parts: parts)
        }
        whole.append(count)
      }
      let tally = try #require(whole.tallies.first?.tally)
      let counting = try #require(DayValueCode(.steps))
      var model = CountedByHand(.steps, counting, noise)
      for member in members.indices where members[member] {
        let position = ColumnPosition(member: Int32(member))
        func codes(_ type: DataType) -> [Int] {
          (0..<5).map { Int(columns[type]?[$0][Int(position.block)][position.index] ?? 0) }
        }
        let rate = CountedByHand.level(codes(.heartRate), .heartRate, of: member, noise)
        guard let rate, rate >= coding.step(of: 40) else { continue }
        model.add(member, codes(.steps))
      }
      #expect(tally.contributors == model.contributors.trimmed, "seed \(seed)")
      #expect(tally.histogram.people == model.contributors.count, "seed \(seed)")
      let expected = model.histogram.released(with: .silent)
      #expect(tally.histogram.released(with: .silent) == expected, "seed \(seed)")
      #expect(tally.parts.map(\.people) == model.parts, "seed \(seed)")
      let released = tally.largeDays.map {
        tally.released($0, releasedPeople: tally.people(on: $0) / 10 * 10, with: .silent)
      }.map {
        "\($0.day): \($0.people), \($0.mean)"
      }
      #expect(released == model.releasedDays(from: 100), "seed \(seed)")
      #expect(!released.isEmpty)
    }
  }

  @Test("1000 people are too few for statistics, 1001 are enough", .tags(.R28))
  func threshold() throws {
    let coding = try #require(coding)
    for people in [1000, 1001] {
      let tally = counted(Array(repeating: 70, count: people), coding, 100...101)
      #expect((tally.histogram.released(with: .silent) != nil) == (people > 1000))
      #expect(tally.largeDays.count == (people > 1000 ? 2 : 0))
      #expect(tally.contributors.count == people)
    }
  }

  @Test(
    "the distinguishing days are those of many people, if there are any",
    .tags(.GRP_1))
  func distinguishingDays() throws {
    let coding = try #require(coding)
    let everybody = MemberSet(bytes: Array(repeating: 255, count: 126))
    for (people, own) in [(1_001, 1_000), (101, 100), (11, 10), (1, 0)] {
      var bytes: [UInt8] = []
      for (day, count) in [people, own, people].enumerated() {
        var columns = [DayColumn(), DayColumn()]
        for member in 0..<count {
          let position = ColumnPosition(member: Int32(member))
          columns[Int(position.block)][position.index] = 9
        }
        for block in 0...1 { bytes += row(.heartRate, Int32(day), Int32(block), columns[block]) }
      }
      var tally = GroupTally(coding, period: 100...102, noise: .silent)
      tally.add(PackedColumns(bytes), of: .heartRate, GroupSlice(0..<2, of: everybody))
      #expect(tally.distinguishingDays == [100, 102], "\(people)")
    }
  }

  @Test("many values of few people do not make a group", .tags(.R28))
  func distinct() throws {
    let coding = try #require(coding)
    let tally = counted(Array(repeating: 70, count: 1000), coding, 100...104)
    #expect(tally.histogram.released(with: .silent) == nil)
  }

  @Test("percentiles, mean and deviation are correct, and rounded", .tags(.R29))
  func values() throws {
    let coding = try #require(coding)
    let values = (0..<10_000).map { 60 + Double($0 % 100) / 2 }
    let tally = counted(values, coding, 100...100)
    let released = try #require(tally.histogram.released(with: .silent))
    #expect(released.people == 10_000)
    #expect(abs(released.mean - 84.75) <= 0.05)
    #expect(abs(released.standardDeviation - 14.14) <= 0.05)
    let expected = [62.0, 72.0, 84.5, 97, 107]
    for (percentile, value) in zip(released.percentiles, expected) {
      #expect(abs(percentile - value) <= 0.7)
    }
    let rounding = ReleaseRounding(rangeWidth: 80, releasedPeople: 10_000)
    #expect(rounding.step == 0.01)
    #expect(rounding.round(released.mean) == released.mean)
  }

  @Test("no bin of a histogram holds 1000 people or fewer, nor shows an extreme", .tags(.R28, .R30))
  func bins() throws {
    let coding = try #require(coding)
    var values = Array(repeating: 70.0, count: 5_000) + Array(repeating: 90.0, count: 2_000)
    values += [21, 249]
    let tally = counted(values, coding, 100...100)
    let released = try #require(tally.histogram.released(with: .silent))
    #expect(released.bins.first?.from == 40)
    #expect(released.bins.last?.to == 120)
    #expect(released.bins.allSatisfy { $0.share * 7_002 > 999 })
    #expect(abs(released.bins.reduce(0) { $0 + $1.share } - 1) < 0.02)
  }

  @Test("one person moves a released mean by no more than a step", .tags(.R30))
  func influence() throws {
    let coding = try #require(coding)
    var others = Array(repeating: 70.0, count: 1_500)
    var means: [Double] = []
    for value in [20.0, 250] {
      others[0] = value
      let tally = counted(others, coding, 100...100)
      means.append(try #require(tally.histogram.released(with: .silent)).mean)
    }
    let step = ReleaseRounding(rangeWidth: 80, releasedPeople: 1_500).step
    #expect(abs(means[0] - means[1]) <= step + 1e-9)
  }

  @Test("the step of rounding depends only on the released number", .tags(.GRP_1, .R30))
  func releasedStep() throws {
    let coding = try #require(coding)
    // 80 by 1599 is more than 0.05, 80 by 1600 is not.
    for (shown, mean) in [(1_590, 70.0), (1_600, 70.05)] {
      for people in [1_599, 1_600] {
        let values = (0..<people).map { $0 % 3 == 0 ? 70.1 : 70 }
        let tally = counted(values, coding, 100...100)
        let released = tally.histogram.released(with: .silent, shownPeople: shown)
        #expect(released?.mean == mean, "\(people) people, told \(shown)")
        let day = tally.released(100, releasedPeople: shown, with: .silent)
        #expect(day.mean == mean && day.people == shown, "\(people) people, told \(shown)")
      }
    }
  }

  @Test("steps of rounding are 1, 2 or 5 times a power of ten", .tags(.R30))
  func steps() {
    #expect(ReleaseRounding(atLeast: 0.23).step == 0.5)
    #expect(ReleaseRounding(atLeast: 0.011).step == 0.02)
    #expect(ReleaseRounding(atLeast: 100).step == 100)
    #expect(ReleaseRounding(atLeast: 6).step == 10)
    #expect(ReleaseRounding(atLeast: 1).step == 1)
    #expect(ReleaseRounding(atLeast: 0.5).round(70.3) == 70.5)
    #expect(ReleaseRounding(atLeast: 0.2).round(70.37).description == "70.4")
  }

  @Test("a condition on a mean applies to the person's mean over the period", .tags(.R26))
  func condition() throws {
    let coding = try #require(coding)
    let columns = rows([60, 100, 140], coding, 100...101)
    let everybody = GroupSlice(0..<1, of: MemberSet(bytes: [7]))
    let cases: [(SearchComparison, Double, Int)] = [
      (.less, 100, 1), (.atMost, 100, 2), (.equal, 100, 1), (.greater, 60, 2),
    ]
    for (comparison, bound, people) in cases {
      var count = try #require(
        GroupCount(
          DataTypeSet([.heartRate]), where: [(.heartRate, comparison, bound)], period: 100...101,
          parts: 0, noise: .silent))
      count.add(columns, everybody, parts: [])
      #expect(count.tallies.first?.tally.contributors.count == people)
    }
  }

  @Test(
    "a part that subtraction would reveal is left out together with another", .tags(.R28, .GRP_1))
  func parts() {
    #expect(GroupThreshold.releasedParts([5000, 3000], of: 8000) == [true, true])
    #expect(GroupThreshold.releasedParts([5000, 3000, 900], of: 8900) == [true, false, false])
    #expect(GroupThreshold.releasedParts([5000, 3000], of: 8001) == [true, false])
    #expect(GroupThreshold.releasedParts([1001, 1000], of: 2001) == [false, false])
    #expect(
      GroupThreshold.releasedParts([5000, 800, 900], of: 6700) == [true, false, false])
  }

  @Test("integer arithmetic yields the same levels as floating point", .tags(.GRP_1))
  func levels() {
    // The deviation of a sum of eight 16-bit numbers, which ends at 262,140 on either side.
    let scale = PersonNoise.levelDeviation * DayValueCode.stepsOfRange / 53_510.3
    let different = (-262_140...262_140).filter {
      PersonNoise.level(ofSum: $0) != Int16((Double($0) * scale).rounded())
    }
    #expect(different.isEmpty)
  }
}
