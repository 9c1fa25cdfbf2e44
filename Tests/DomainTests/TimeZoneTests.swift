import Domain
import Foundation
import Requirements
import Support
import Testing
import Time

@Suite("days of a time zone")
struct TimeZoneTests {
  static func rules(_ name: String) throws -> TimeZoneRules {
    let data = try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/\(name)"))
    return try TimeZoneRules(tzif: Array(data))
  }

  let rome: TimeZoneRules

  init() throws { rome = try Self.rules("Europe/Rome") }

  @Test("a day in Rome has 23, 24 or 25 hours", .tags(.R17))
  func lengths() throws {
    for (text, hours) in [("2024-03-31", 23), ("2024-06-01", 24), ("2024-10-27", 25)] {
      let day = try CalendarDate(text)
      let start = rome.start(of: day)
      let end = rome.start(of: day.adding(days: 1))
      #expect(end.millisecondsSince1970 - start.millisecondsSince1970 == Int64(hours) * 3_600_000)
      #expect(rome.day(of: start) == day)
      #expect(rome.day(of: end.adding(milliseconds: -1)) == day)
      #expect(rome.day(of: start.adding(milliseconds: -1)) == day.adding(days: -1))
    }
  }

  @Test(
    "weeks begin on Monday, months on the first, years in January, all at midnight", .tags(.R17))
  func units() throws {
    let time = try Instant("2024-03-31T12:00:00+02:00")
    func text(_ unit: CalendarUnit) -> [String] {
      let bounds = rome.bounds(of: unit, around: time)
      return [bounds.lowerBound.description, bounds.upperBound.description]
    }
    #expect(text(.hour) == ["2024-03-31T10:00:00Z", "2024-03-31T11:00:00Z"])
    #expect(text(.day) == ["2024-03-30T23:00:00Z", "2024-03-31T22:00:00Z"])
    #expect(text(.week) == ["2024-03-24T23:00:00Z", "2024-03-31T22:00:00Z"])
    #expect(text(.month) == ["2024-02-29T23:00:00Z", "2024-03-31T22:00:00Z"])
    #expect(text(.year) == ["2023-12-31T23:00:00Z", "2024-12-31T23:00:00Z"])
  }

  @Test("the repeated hour in October is two hours", .tags(.R17))
  func repeatedHour() throws {
    let first = rome.bounds(of: .hour, around: try Instant("2024-10-27T02:30:00+02:00"))
    let second = rome.bounds(of: .hour, around: try Instant("2024-10-27T02:30:00+01:00"))
    #expect(first.upperBound == second.lowerBound)
    #expect(first.lowerBound == (try Instant("2024-10-27T00:00:00Z")))
  }

  @Test("offsets agree with Foundation's from 1970 to 2200 at random instants", .tags(.R17))
  func agreesWithFoundation() throws {
    var random = SeededRandom()
    for name in ["Europe/Rome", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"] {
      let rules = try Self.rules(name)
      let zone = try #require(TimeZone(identifier: name))
      for _ in 0..<2000 {
        let second = Int64.random(in: 0...7_258_118_400, using: &random)
        let expected = zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second)))
        let found = rules.offsetSeconds(at: Instant(millisecondsSince1970: second * 1000))
        #expect(found == expected, "\(name) at \(second)")
      }
    }
  }

  @Test("starts of days agree with Foundation's calendar", .tags(.R17))
  func daysAgree() throws {
    var random = SeededRandom()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = try #require(TimeZone(identifier: "Europe/Rome"))
    for _ in 0..<500 {
      let second = Int64.random(in: 0...4_000_000_000, using: &random)
      let date = Date(timeIntervalSince1970: Double(second))
      let time = Instant(millisecondsSince1970: second * 1000)
      let bounds = rome.bounds(of: .day, around: time)
      #expect(bounds.contains(time))
      let expected = calendar.startOfDay(for: date).timeIntervalSince1970
      #expect(bounds.lowerBound.millisecondsSince1970 == Int64(expected) * 1000, "\(time)")
    }
  }

  @Test(
    "all zones: days, hours, weeks, months and years contain their instants and touch", .tags(.R17))
  func stretchesTouch() throws {
    var random = SeededRandom()
    let names = [
      "Europe/Rome", "America/Sao_Paulo", "Pacific/Apia", "America/St_Johns", "Asia/Gaza",
      "Africa/Casablanca", "Australia/Lord_Howe", "America/Scoresbysund", "UTC",
    ]
    for name in names {
      let rules = try Self.rules(name)
      for _ in 0..<300 {
        let time = Instant(
          millisecondsSince1970: .random(
            in: -2_208_988_800_000...20_000_000_000_000, using: &random))
        for unit in CalendarUnit.allCases {
          let bounds = rules.bounds(of: unit, around: time)
          let next = rules.bounds(of: unit, around: bounds.upperBound)
          #expect(bounds.contains(time), "\(name) \(unit) \(time)")
          #expect(next.lowerBound == bounds.upperBound, "\(name) \(unit) \(time)")
        }
      }
    }
  }

  @Test("the finder with a memory yields the same as the one without", .tags(.R17))
  func buckets() throws {
    var random = SeededRandom()
    for unit in CalendarUnit.allCases {
      var buckets = CalendarBuckets(unit, rules: rome)
      var time = try Instant("2024-01-01T00:00:00Z")
      for _ in 0..<500 {
        time = time.adding(seconds: .random(in: -3600...86_400, using: &random))
        let found = buckets.bounds(around: time)
        #expect(found == rome.bounds(of: unit, around: time))
      }
    }
  }

  @Test("every day of UTC has 24 hours")
  func utc() throws {
    let time = try Instant("2024-03-31T12:00:00Z")
    #expect(TimeZoneRules.utc.offsetSeconds(at: time) == 0)
    #expect(
      TimeZoneRules.utc.start(of: try CalendarDate("2024-03-31")).description
        == "2024-03-31T00:00:00Z")
  }

  @Test("the ends of the calendar cause no trap")
  func ends() {
    for unit in CalendarUnit.allCases {
      for time in [Instant.firstWritable, .lastWritable] {
        _ = rome.bounds(of: unit, around: time)
      }
    }
  }

  @Test("every documented error of a time zone file")
  func errors() throws {
    let good = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Rome")))
    #expect(throws: TimeZoneRulesError.notTZif) { try TimeZoneRules(tzif: Array("hello".utf8)) }
    var versionOne = good
    versionOne[4] = 0
    #expect(throws: TimeZoneRulesError.notTZif) { try TimeZoneRules(tzif: versionOne) }
    #expect(throws: TimeZoneRulesError.truncated) { try TimeZoneRules(tzif: []) }
    #expect(throws: TimeZoneRulesError.truncated) {
      try TimeZoneRules(tzif: Array(good.dropLast(1)))
    }
    var manyTypes = good
    manyTypes[36] = 0xFF
    #expect(throws: TimeZoneRulesError.outOfRange) { try TimeZoneRules(tzif: manyTypes) }
    var badFooter = good
    badFooter[good.count - 2] = UInt8(ascii: "x")
    #expect(throws: TimeZoneRulesError.badFooter) { try TimeZoneRules(tzif: badFooter) }
    let right = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/right/UTC")))
    #expect(throws: TimeZoneRulesError.leapSeconds) { try TimeZoneRules(tzif: right) }
  }

  @Test("a damaged time zone file is rejected or parsed, without a trap")
  func damaged() throws {
    var random = SeededRandom()
    let good = Array(try Data(contentsOf: URL(filePath: "/usr/share/zoneinfo/Europe/Rome")))
    for _ in 0..<2000 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      guard let rules = try? TimeZoneRules(tzif: bytes) else { continue }
      for time in [
        Instant.firstWritable, .lastWritable, Instant(millisecondsSince1970: 1_700_000_000_000),
      ] {
        _ = rules.bounds(of: .day, around: time)
        _ = rules.bounds(of: .hour, around: time)
      }
    }
  }
}
