import Domain
import Requirements
import Testing
import Time

@Suite("search parameters")
struct SearchParameterTests {
  @Test(
    "each parameter of the contract is parsed",
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
    "a contradictory search is refused with the necessary change",
    .tags(.R26),
    arguments: [
      ("", SearchParameterError.malformed), ("age", .malformed), ("age>=", .malformed),
      ("=25", .malformed), ("age=>25", .malformed), ("age==25", .malformed),
      ("shoe=44", .unknownName), ("residence.street=Roma", .unknownName), ("age>=-1", .noAge),
      ("age>=131", .noAge), ("age>=ten", .noAge), ("age>=25.5", .noAge),
      ("sex=X", .noSex), ("sex>F", .needsEquality),
      ("nationality=it", .noCountry), ("nationality=XX", .noCountry),
      ("disease=laziness", .noDisease), ("birth.country=Italy", .noCountry),
      ("occupation=king", .noOccupation), ("area=45,9", .noArea), ("area=91,9,5000", .noArea),
      ("position<1", .notANumber(.position)), ("heartRate<1000", .implausible(.heartRate)),
      ("heartRate<fast", .implausible(.heartRate)),
      ("heartRate<101", .tooFine(.heartRate, step: 5)),
      ("weight>70.001", .tooFine(.weight, step: 10)),
      ("bodyTemperature<37.4", .tooFine(.bodyTemperature, step: 0.5)),
      ("residence.region<A", .needsEquality),
    ])
  func refused(_ text: String, _ error: SearchParameterError) {
    #expect(throws: error) { try SearchParameter(text) }
    #expect(error.description.hasSuffix("."))
  }

  @Test("means are compared in steps of at least a fiftieth of their range", .tags(.R26, .GRP_1))
  func steps() throws {
    for type in DataType.allCases {
      guard let range = type.plausibleRange else { continue }
      let steps = SearchParameter.steps(within: range)
      #expect(steps.step >= (range.upperBound - range.lowerBound) / 50)
      let middle = steps.round((range.lowerBound + range.upperBound) / 2)
      #expect(try SearchParameter("\(type.name)<\(middle)") == .mean(type, .less, middle))
      #expect(throws: SearchParameterError.tooFine(type, step: steps.step)) {
        try SearchParameter("\(type.name)<\(middle + steps.step / 4)")
      }
    }
  }

  @Test("a list identifies the invalid parameter", .tags(.R26))
  func list() throws {
    #expect(try SearchParameter.list(["age>=25", "age<=40"]).count == 2)
    #expect(throws: SearchListError(index: 1, reason: .unknownName)) {
      try SearchParameter.list(["age>=25", "shoe=44"])
    }
    #expect(throws: SearchListError(index: nil, reason: .none)) { try SearchParameter.list([]) }
    #expect(SearchListError(index: 1, reason: .noAge).field == "searchParams[1]")
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

  @Test("days belong to months, on both sides of 1970", .tags(.R29))
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

  @Test("the cells of a circle are those with their centre inside", .tags(.R26))
  func cells() throws {
    let milan = try GeoPoint("45.4642,9.1900")
    let small = PositionCell.cells(around: milan, radius: 5_000)
    #expect((1...6).contains(small.count))
    let large = PositionCell.cells(around: milan, radius: 50_000)
    // 50 km around: the area of the circle divided by that of a cell.
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
      from: try from.map { try Instant($0) }, to: try to.map { try Instant($0) },
      now: try Instant("2026-03-15T12:00:00Z"))
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

  @Test("invalid terms are rejected", .tags(.R27, .R31, .R20))
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
    let end = try Instant("2026-03-15T13:00:00Z")
    let now = try Instant("2026-03-15T12:00:00Z")
    #expect(try terms(subscribing: true, seconds: 3600).end(from: now) == end)
  }
}
