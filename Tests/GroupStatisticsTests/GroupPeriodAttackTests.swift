import Data4HelpFixture
import Domain
import Foundation
import PublicAPI
import Requirements
import Support
import Testing

/// Attacks by answers of several periods or breakdowns, from an attacker with own accounts.
///
/// The people have values from 11 to 17 November 2026; earlier days only have the attacker's
/// values.
@Suite("Attacks on groups by several periods")
struct GroupPeriodAttackTests {
  private static let first = 10
  private static let ownAccounts = 9

  /// Noise with a printed seed.
  private static func noise(_ test: String = #function) -> ReleaseNoise {
    let bytes = SeededBytes(SeededRandom(test))
    return ReleaseNoise { bytes.next($0) }
  }

  private func period(from day: Int, to last: Int = 17) -> String {
    let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return ",\"from\":\"2026-11-\(pad(day))T00:00:00Z\",\"to\":\"2026-11-\(pad(last + 1))"
      + "T00:00:00Z\""
  }

  /// Inserts people with values from the 11th on, and the attacker's accounts with values on one
  /// earlier day each.
  private func populate(_ stage: SingleRequestStage, others: Int) async throws {
    try await stage.populate()
    try await stage.addPeople(0..<others, days: 0)
    try await stage.setDays(Self.first..<17, of: 0..<others, .heartRate, 70)
    for own in 0..<Self.ownAccounts {
      try await stage.addPeople(5_000 + own..<5_001 + own, days: 0)
      try await stage.setDays(own + 1..<own + 2, of: 5_000 + own..<5_001 + own, .heartRate, 250)
    }
  }

  @Test(
    "days with values of the attacker's accounts only change no released number",
    .tags(.GRP_1, .R30))
  func padding() async throws {
    try await SingleRequestStage.with(noise: Self.noise()) { stage in
      // 1494 people: six accounts of the attacker would raise the reported number by ten.
      try await populate(stage, others: 1_494)
      var numbers: [Int?] = []
      var types: [NSArray] = []
      for day in (1...11).reversed() {
        let answer = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", period(from: day))
        numbers.append(answer["people"] as? Int)
        types.append(try #require(answer["dataTypes"] as? NSArray))
      }
      #expect(Set(numbers).count == 1, "\(numbers)")
      #expect(types.allSatisfy { $0 == types[0] })
      // Every person has values on all released days: if each day had its own noise, their mean
      // would be the exact number.
      let days = try #require((types[0].firstObject as? NSDictionary)?["days"] as? [NSDictionary])
      #expect(days.count == 7 && days.allSatisfy { $0["people"] as? Int == numbers[0] })
    }
  }

  @Test(
    "such days change nothing where no day has 1000 people, and other days are released",
    .tags(.GRP_1, .R30))
  func paddingSmallDays() async throws {
    try await SingleRequestStage.with(noise: Self.noise()) { stage in
      try await stage.populate()
      // One third has a value on each day, as for a weight measured twice a week.
      for third in 0..<3 {
        let people = 500 * third..<500 * (third + 1)
        try await stage.addPeople(people, days: 0)
        try await stage.setDays(10 + third..<11 + third, of: people, .heartRate, 70)
        try await stage.setDays(13 + third..<14 + third, of: people, .heartRate, 120)
      }
      for own in 0..<Self.ownAccounts {
        try await stage.addPeople(5_000 + own..<5_001 + own, days: 0)
        try await stage.setDays(own + 1..<own + 2, of: 5_000 + own..<5_001 + own, .heartRate, 250)
      }
      func types(from day: Int, to last: Int) async throws -> NSArray {
        let rest = period(from: day, to: last)
        let answer = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", rest)
        return try #require(answer["dataTypes"] as? NSArray)
      }
      let notified = try await types(from: 11, to: 13)
      #expect(((notified.firstObject as? NSDictionary)?["days"] as? NSArray)?.count == 0)
      for day in (1...10).reversed() {
        #expect(try await types(from: day, to: 13) == notified, "\(day)")
      }
      let others = try #require(try await types(from: 14, to: 16).firstObject as? NSDictionary)
      #expect((others["mean"] as? Double ?? 0) > 100)
      #expect(
        others["people"] as? Int == (notified.firstObject as? NSDictionary)?["people"] as? Int)
    }
  }

  @Test(
    "a set joins a cohort of another period that differs by 100 people, not by 101",
    .tags(.GRP_1))
  func edgeOfCohort() async throws {
    try await SingleRequestStage.with { stage in
      try await populateByAge(stage, [1_500, 100, 1])
      let first = try await stage.groupObject(
        "\"age<=60\"", "\"heartRate\"", period(from: 11))
      #expect(first["people"] as? Int == 1_500)
      let near = try await stage.groupObject(
        "\"age<=80\"", "\"heartRate\"", period(from: 12))
      #expect(near["people"] as? Int == 1_500)
      let other = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", period(from: 13))
      #expect(other["people"] as? Int == 1_600)
    }
  }

  @Test("a set near only to another answer of a cohort does not join it", .tags(.GRP_1))
  func chain() async throws {
    try await SingleRequestStage.with { stage in
      try await populateByAge(stage, [1_500, 80, 80])
      var numbers: [Int?] = []
      for (search, breakdown) in [
        ("age<=60", ""), ("age<=80", ",\"groupBy\":\"sex\""),
        ("age>=18", ",\"groupBy\":\"ageBand\""),
      ] {
        let answer = try await stage.groupObject(
          "\"\(search)\"", "\"heartRate\"", breakdown + period(from: 11))
        numbers.append(answer["people"] as? Int)
      }
      #expect(numbers == [1_500, 1_500, 1_660])
    }
  }

  /// Inserts people of 46, 76 and 86 years, in these numbers.
  private func populateByAge(_ stage: SingleRequestStage, _ counts: [Int]) async throws {
    try await stage.populate()
    var first = 0
    for (count, born) in zip(counts, ["1980-01-01", "1950-01-01", "1940-01-01"]) {
      try await stage.addPeople(first..<first + count, born: born, days: 17)
      first += count
    }
  }

  @Test(
    "a request without one person for another period returns the same number of people",
    .tags(.GRP_1, .R30))
  func anotherPeriod() async throws {
    try await SingleRequestStage.with(noise: Self.noise()) { stage in
      try await populate(stage, others: 1_499)
      try await stage.addPeople(2_000..<2_001, .heartRate, 200, born: "1950-01-01", days: 0)
      try await stage.setDays(Self.first..<17, of: 2_000..<2_001, .heartRate, 200)
      let all = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", period(from: 11))
      // Two days fewer at the front, and all people but one.
      for (search, rest) in [
        ("\"age<=60\"", period(from: 13)), ("\"age>=18\"", period(from: 12)),
        ("\"age<=60\"", period(from: 11, to: 15)),
      ] {
        let other = try await stage.groupObject(search, "\"heartRate\"", rest)
        #expect(other["people"] as? Int == all["people"] as? Int, "\(rest)")
        let (days, known) = (try dayTexts(of: other), try dayTexts(of: all))
        #expect(!days.isEmpty && days.isSubset(of: known), "\(rest)")
      }
    }
  }

  private func dayTexts(of answer: [String: Any]) throws -> Set<NSDictionary> {
    let type = try #require((answer["dataTypes"] as? [[String: Any]])?.first)
    return Set(try #require(type["days"] as? [NSDictionary]))
  }

  @Test(
    "another breakdown has the same total, and other periods the same sizes of parts",
    .tags(.GRP_1, .R30))
  func breakdowns() async throws {
    try await SingleRequestStage.with(noise: Self.noise()) { stage in
      try await populate(stage, others: 1_494)
      try await stage.addPeople(2_000..<3_500, sex: "M", days: 0)
      try await stage.setDays(Self.first..<17, of: 2_000..<3_500, .heartRate, 70)
      try await stage.addPeople(3_600..<3_610, .heartRate, 200, born: "1950-01-01", days: 0)
      try await stage.setDays(Self.first..<17, of: 3_600..<3_610, .heartRate, 200)
      let all = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", period(from: 11))
      let bySex = ",\"groupBy\":\"sex\""
      let without = try await stage.groupObject(
        "\"age<=60\"", "\"heartRate\"", bySex + period(from: 11))
      #expect(without["dataTypes"] as? NSArray == all["dataTypes"] as? NSArray)
      let notified = try sizes(of: without)
      #expect(notified.count == 2)
      for day in [1, 5, 12, 13] {
        let later = try await stage.groupObject(
          "\"age>=18\"", "\"heartRate\"", bySex + period(from: day))
        #expect(try sizes(of: later) == notified, "\(day)")
      }
    }
  }

  @Test(
    "another breakdown over a padded period returns the earlier total and parts",
    .tags(.GRP_1, .R30))
  func paddedBreakdown() async throws {
    try await SingleRequestStage.with(noise: Self.noise()) { stage in
      try await populate(stage, others: 1_494)
      try await stage.addPeople(2_000..<3_500, sex: "M", days: 0)
      try await stage.setDays(Self.first..<17, of: 2_000..<3_500, .heartRate, 70)
      let bySex = ",\"groupBy\":\"sex\""
      let whole = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", period(from: 11))
      let padded = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", bySex + period(from: 5))
      let again = try await stage.groupObject(
        "\"age>=18\"", "\"heartRate\"", bySex + period(from: 11))
      #expect(padded["dataTypes"] as? NSArray == whole["dataTypes"] as? NSArray)
      let parts = try #require(padded["groups"] as? NSArray)
      #expect(parts.count == 2 && again["groups"] as? NSArray == parts)
    }
  }

  private func sizes(of answer: [String: Any]) throws -> [String: Int] {
    let parts = try #require(answer["groups"] as? [[String: Any]])
    return Dictionary(
      uniqueKeysWithValues: parts.compactMap { part in
        (part["group"] as? String).flatMap { name in (part["people"] as? Int).map { (name, $0) } }
      })
  }
}
