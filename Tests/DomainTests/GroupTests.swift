import Domain
import Requirements
import Testing

@Suite("search parameters")
struct SearchParameterTests {
  @Test(
    "each parameter of the contract is read",
    .tags(.R26),
    arguments: [
      ("age>=25", SearchParameter.age(.atLeast, years: 25)), ("age<=0", .age(.atMost, years: 0)),
      (" age  = 130 ", .age(.equal, years: 130)), ("sex=F", .sex("F")),
      ("nationality=IT", .nationality("IT")),
      ("residence.municipality=Milano", .place(.residence, .municipality, name: "Milano")),
      ("residence.province=MI", .place(.residence, .province, name: "MI")),
      ("birth.region=Lombardia", .place(.birth, .region, name: "Lombardia")),
      ("birth.country=FR", .place(.birth, .country, name: "FR")),
      ("occupation=student", .occupation(.student)), ("disease=diabetes", .disease(.diabetes)),
      ("disease=E11.9", .disease(.diabetes)),
      ("heartRate<100", .mean(.heartRate, .less, 100)),
      ("bodyTemperature>=36.5", .mean(.bodyTemperature, .atLeast, 36.5)),
    ])
  func read(_ text: String, _ expected: SearchParameter) throws {
    #expect(try SearchParameter(text) == expected)
  }

  @Test("an area is a point and a radius of 5 to 500 km", .tags(.R26))
  func area() throws {
    let point = try GeoPoint("45.4642,9.1900")
    #expect(try SearchParameter("area=45.4642,9.1900,5000") == .area(point, radius: 5000))
    #expect(try SearchParameter("area=45.4642,9.1900,500000") == .area(point, radius: 500_000))
    for radius in ["4999", "500001"] {
      #expect(throws: SearchParameterError.wrongRadius) {
        try SearchParameter("area=45.4642,9.1900,\(radius)")
      }
    }
  }

  @Test(
    "what makes no sense is refused with what to change",
    .tags(.R26),
    arguments: [
      ("", SearchParameterError.malformed), ("age", .malformed), ("age>=", .malformed),
      ("=25", .malformed), ("age=>25", .malformed), ("age==25", .malformed),
      ("shoe=44", .unknownName), ("residence.street=Roma", .unknownName), ("age>=-1", .noAge),
      ("age>=131", .noAge), ("age>=ten", .noAge), ("sex=X", .noSex), ("sex>F", .needsEquality),
      ("nationality=it", .noCountry), ("nationality=XX", .noCountry),
      ("disease=laziness", .noDisease), ("birth.country=Italy", .noCountry),
      ("occupation=king", .noOccupation), ("area=45,9", .noArea), ("area=91,9,5000", .noArea),
      ("position<1", .notANumber(.position)), ("heartRate<1000", .implausible(.heartRate)),
      ("heartRate<fast", .implausible(.heartRate)), ("residence.region<A", .needsEquality),
    ])
  func refused(_ text: String, _ error: SearchParameterError) {
    #expect(throws: error) { try SearchParameter(text) }
    #expect(error.description.hasSuffix("."))
  }

  @Test("a list names the parameter that makes no sense", .tags(.R26))
  func list() throws {
    #expect(try SearchParameter.list(["age>=25", "age<=40"]).count == 2)
    #expect(throws: SearchListError(index: 1, reason: .unknownName)) {
      try SearchParameter.list(["age>=25", "shoe=44"])
    }
    #expect(throws: SearchListError(index: nil, reason: .none)) { try SearchParameter.list([]) }
    #expect(SearchListError(index: 1, reason: .noAge).field == "searchParams[1]")
  }
}

@Suite("the statistics of groups")
struct GroupStatisticsTests {
  let coding = DayValueCode(.heartRate)

  /// A tally of people with the same value every day of the period, who are all searched for.
  private func counted(
    _ values: [Double], _ coding: DayValueCode, _ period: ClosedRange<Int32>
  ) -> GroupTally {
    var people = MemberSet()
    for member in values.indices { people.insert(member) }
    var tally = GroupTally(coding, period: period, people: people)
    tally.add(rows(values, coding, period))
    return tally
  }

  private func rows(
    _ values: [Double], _ coding: DayValueCode, _ period: ClosedRange<Int32>
  ) -> [UInt8] {
    var columns: [Int32: DayColumn] = [:]
    for (member, value) in values.enumerated() {
      let place = DayPlace(member: Int32(member))
      columns[place.block, default: DayColumn()][place.place] = coding.code(of: value)
    }
    var bytes: [UInt8] = []
    for day in period {
      for (block, column) in columns {
        for number in [day, block] {
          for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        bytes += column.bytes
      }
    }
    return bytes
  }

  @Test("a day's value is clamped to the plausible range", .tags(.R30))
  func clamped() throws {
    let coding = try #require(coding)
    #expect(coding.code(of: 20) == 1)
    #expect(coding.code(of: -1000) == 1)
    #expect(coding.code(of: 250) == 65_535)
    #expect(coding.code(of: 1e9) == 65_535)
    #expect(abs(coding.value(of: Double(coding.code(of: 61.7))) - 61.7) < 0.004)
    #expect(DayValueCode(.position) == nil)
  }

  @Test("columns give what counting person by person gives, to the last digit", .tags(.R29, .R30))
  func model() throws {
    let coding = try #require(coding)
    for seed in 1...5 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      // Three blocks, the last of them cut off; a third of the people is not searched for.
      let members = (0..<2_700).map { _ in Int.random(in: 0..<3, using: &random) > 0 }
      var people = MemberSet()
      for member in members.indices where members[member] { people.insert(member) }
      var columns: [Int32: [DayColumn]] = [:]
      for day in 98...105 as ClosedRange<Int32> {
        columns[day] = (0..<3).map { _ in
          var column = DayColumn()
          for place in 0..<DayColumn.people where Bool.random(using: &random) {
            column[place] = UInt16.random(in: 1...UInt16.max, using: &random)
          }
          return column
        }
      }
      var tally = GroupTally(coding, period: 100...104, people: people)
      for (day, blocks) in columns {
        for (block, column) in blocks.enumerated() {
          var row: [UInt8] = []
          for number in [day, Int32(block)] {
            for shift in [24, 16, 8, 0] { row.append(UInt8(truncatingIfNeeded: number >> shift)) }
          }
          tally.add(row + column.bytes)
        }
      }
      var histogram = GroupHistogram(coding)
      var (contributors, days) = (0, [Int](repeating: 0, count: 5))
      var daySums = [Int](repeating: 0, count: 5)
      for member in members.indices where members[member] {
        let place = DayPlace(member: Int32(member))
        let codes = (100...104).map { Int(columns[$0]?[Int(place.block)][place.place] ?? 0) }
        for (day, code) in codes.enumerated() where code > 0 {
          days[day] += 1
          daySums[day] += code
        }
        let values = codes.filter { $0 > 0 }
        if values.isEmpty { continue }
        contributors += 1
        histogram.add(Double(values.reduce(0, +)) / Double(values.count))
      }
      #expect(tally.contributors.count == contributors, "seed \(seed)")
      #expect(tally.histogram.released == histogram.released, "seed \(seed)")
      let expected = (0..<5).filter { days[$0] > 1000 }.map { day in
        let mean = coding.value(of: Double(daySums[day]) / Double(days[day]))
        let rounding = ReleaseRounding(rangeWidth: coding.width, people: days[day])
        return "\(100 + day): \(days[day] / 10 * 10), \(rounding.round(mean))"
      }
      let released = tally.releasedDays.map { "\($0.day): \($0.people), \($0.mean)" }
      #expect(released == expected, "seed \(seed)")
    }
  }

  @Test("1000 people give nothing, 1001 give statistics", .tags(.R28))
  func threshold() throws {
    let coding = try #require(coding)
    for people in [1000, 1001] {
      let tally = counted(Array(repeating: 70, count: people), coding, 100...101)
      #expect((tally.histogram.released != nil) == (people > 1000))
      #expect(tally.releasedDays.count == (people > 1000 ? 2 : 0))
      #expect(tally.contributors.count == people)
    }
  }

  @Test("many values of few people do not make a group", .tags(.R28))
  func distinct() throws {
    let coding = try #require(coding)
    let tally = counted(Array(repeating: 70, count: 1000), coding, 100...104)
    #expect(tally.histogram.released == nil)
  }

  @Test("percentiles, mean and deviation are right, and rounded", .tags(.R29))
  func values() throws {
    let coding = try #require(coding)
    let values = (0..<10_000).map { 60 + Double($0 % 100) / 2 }
    let tally = counted(values, coding, 100...100)
    let released = try #require(tally.histogram.released)
    #expect(released.people == 10_000)
    #expect(abs(released.mean - 84.75) <= 0.05)
    #expect(abs(released.standardDeviation - 14.43) <= 0.05)
    let expected = [62.0, 72.0, 84.5, 97, 107]
    for (percentile, value) in zip(released.percentiles, expected) {
      #expect(abs(percentile - value) <= 0.7)
    }
    let rounding = ReleaseRounding(rangeWidth: 230, people: 10_000)
    #expect(rounding.step == 0.05)
    #expect(rounding.round(released.mean) == released.mean)
  }

  @Test("no bin of a histogram holds 1000 people or fewer, nor shows an extreme", .tags(.R28, .R30))
  func bins() throws {
    let coding = try #require(coding)
    var values = Array(repeating: 70.0, count: 5_000) + Array(repeating: 90.0, count: 2_000)
    values += [21, 249]
    let tally = counted(values, coding, 100...100)
    let released = try #require(tally.histogram.released)
    #expect(released.bins.first?.from == 20)
    #expect(released.bins.last?.to == 250)
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
      means.append(try #require(tally.histogram.released).mean)
    }
    let step = ReleaseRounding(rangeWidth: 230, people: 1_500).step
    #expect(abs(means[0] - means[1]) <= step + 1e-9)
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

  @Test("a condition on a mean counts the person's mean over the period", .tags(.R26))
  func condition() throws {
    let coding = try #require(coding)
    let tally = counted([60, 100, 140], coding, 100...101)
    #expect(tally.people(.less, 100).count == 1)
    #expect(tally.people(.atMost, 100).count == 2)
    #expect(tally.people(.equal, 100).count == 1)
    #expect(tally.people(.greater, 60).count == 2)
  }

  @Test("a part that could be had by subtraction is left out with another", .tags(.R28, .GRP_1))
  func parts() {
    #expect(GroupThreshold.releasedParts([5000, 3000], of: 8000) == [true, true])
    #expect(GroupThreshold.releasedParts([5000, 3000, 900], of: 8900) == [true, false, false])
    #expect(GroupThreshold.releasedParts([5000, 3000], of: 8001) == [true, false])
    #expect(GroupThreshold.releasedParts([1001, 1000], of: 2001) == [false, false])
    #expect(
      GroupThreshold.releasedParts([5000, 800, 900], of: 6700) == [true, false, false])
  }
}

@Suite("sets of people, months, cells and periods")
struct GroupPlacesTests {
  @Test("sets are compared person by person", .tags(.GRP_1))
  func sets() {
    var (left, right) = (MemberSet(capacity: 10_000), MemberSet())
    for member in 0..<2_000 { left.insert(member) }
    for member in 50..<2_060 { right.insert(member) }
    #expect((left.count, right.count) == (2_000, 2_010))
    #expect(left.difference(from: right) == 110)
    #expect(right.difference(from: left) == 110)
    #expect(left.contains(1_999))
    #expect(!left.contains(2_000))
    #expect(left.trimmed.bytes.count == 250)
    #expect(left.trimmed.difference(from: left) == 0)
  }

  @Test("days lie in months, on both sides of 1970", .tags(.R29))
  func months() {
    #expect(MonthDays(day: 0) == MonthDays(number: 0))
    #expect(MonthDays(number: 0).days == 0...30)
    #expect(MonthDays(day: -1) == MonthDays(number: -1))
    #expect(MonthDays(number: -1).days == -31 ... -1)
    #expect(MonthDays(number: 1).days == 31...58)
    #expect(MonthDays.touched(by: 20...60).map(\.number) == [0, 1, 2])
    #expect(MonthDays(number: 1).days(in: 50...70) == 50...58)
    #expect(MonthDays(number: 1).days(in: 60...70) == nil)
  }

  @Test("the cells of a circle are those whose centre lies in it", .tags(.R26))
  func cells() throws {
    let milan = try GeoPoint("45.4642,9.1900")
    let small = PositionCell.cells(around: milan, radius: 5_000)
    #expect((1...6).contains(small.count))
    let large = PositionCell.cells(around: milan, radius: 50_000)
    // 50 km around: the area of the circle by that of a cell.
    #expect((290...340).contains(large.count))
    #expect(large.contains(PositionCell(milan)))
    #expect(Set(large).count == large.count)
    #expect(!large.contains(PositionCell(try GeoPoint("41.9028,12.4964"))))
    for pole in ["89.99,0", "-90,12", "0,180", "0,-180"] {
      let cells = PositionCell.cells(around: try GeoPoint(pole), radius: 30_000)
      #expect(Set(cells).count == cells.count)
      #expect(!cells.isEmpty)
      #expect(cells.contains(PositionCell(try GeoPoint(pole))))
    }
  }

  @Test("an age in years has a last birth date", .tags(.R26))
  func ages() throws {
    let today = try CalendarDate("2026-02-28")
    let born = try CalendarDate("1996-02-29")
    #expect(Ages.years(born: born, on: today) == 29)
    #expect(Ages.years(born: born, on: try CalendarDate("2026-03-01")) == 30)
    for years in [0, 1, 18, 29, 30, 130] {
      let last = Ages.lastBirthDate(ofAge: years, on: today)
      #expect(Ages.years(born: last, on: today) == years)
      #expect(Ages.years(born: last.adding(days: 1), on: today) == years - 1)
    }
    #expect(AgeBand.index(ofAge: 17) == 0)
    #expect(AgeBand.index(ofAge: 18) == 1)
    #expect(AgeBand.all[AgeBand.index(ofAge: 99)].description == "80+")
  }

  private func terms(
    _ types: [DataType] = [.heartRate], subscribing: Bool = false, seconds: Int64? = nil,
    from: String? = nil, to: String? = nil
  ) throws -> GroupRequestTerms {
    try GroupRequestTerms(
      types: types, breakdown: nil, subscribing: subscribing,
      duration: try seconds.map { try RequestDuration(seconds: $0) },
      from: try from.map { try Timestamp($0) }, to: try to.map { try Timestamp($0) },
      now: try Timestamp("2026-03-15T12:00:00Z"))
  }

  @Test("by default a group's period is the last 30 closed days", .tags(.R29))
  func period() throws {
    let last: Int32 = 20_526  // 2026-03-14
    #expect(try terms().firstPeriod(lastClosed: last, zone: .utc) == (last - 29)...last)
    let whole = try terms(from: "2026-03-10T00:00:00Z", to: "2026-03-12T00:00:00Z")
    #expect(try whole.firstPeriod(lastClosed: last, zone: .utc) == 20_522...20_523)
    let part = try terms(from: "2026-03-10T00:00:01Z", to: "2026-03-12T23:59:59Z")
    #expect(try part.firstPeriod(lastClosed: last, zone: .utc) == 20_523...20_523)
    #expect(throws: GroupRequestTermsError.noClosedDay) {
      try terms(from: "2026-03-15T00:00:00Z").firstPeriod(lastClosed: last, zone: .utc)
    }
    #expect(throws: GroupRequestTermsError.periodTooLong) {
      try terms(from: "2025-03-13T00:00:00Z").firstPeriod(lastClosed: last, zone: .utc)
    }
    let year = try terms(from: "2025-03-14T00:00:00Z", to: "2026-03-15T00:00:00Z")
    #expect(try year.firstPeriod(lastClosed: last - 1, zone: .utc)?.count == 365)
    let later = try terms(subscribing: true, seconds: 86_400, from: "2026-03-20T00:00:00Z")
    #expect(try later.firstPeriod(lastClosed: last, zone: .utc) == nil)
  }

  @Test("senseless terms are refused", .tags(.R27, .R31, .R20))
  func senseless() throws {
    #expect(throws: GroupRequestTermsError.noTypes) { try terms([]) }
    #expect(throws: GroupRequestTermsError.typeNamedTwice) { try terms([.steps, .steps]) }
    #expect(throws: GroupRequestTermsError.notANumber(.ecg, index: 1)) {
      try terms([.steps, .ecg])
    }
    #expect(throws: GroupRequestTermsError.durationMissing) { try terms(subscribing: true) }
    #expect(throws: GroupRequestTermsError.futureNeedsSubscription) {
      try terms(to: "2026-03-16T00:00:00Z")
    }
    #expect(throws: GroupRequestTermsError.periodEmpty) {
      try terms(from: "2026-03-10T00:00:00Z", to: "2026-03-10T00:00:00Z")
    }
    let end = try Timestamp("2026-03-15T13:00:00Z")
    let now = try Timestamp("2026-03-15T12:00:00Z")
    #expect(try terms(subscribing: true, seconds: 3600).end(from: now) == end)
  }
}
