import Data4Help
import Domain
import EventLoop
import Foundation
import PublicAPI
import Requirements
import Testing

/// Attacks by answers of several periods or breakdowns, by somebody with accounts of their own.
///
/// The people have values from 11 to 17 November 2026; before that a day has none but what the
/// attacker puts there.
@Suite("Attacks on groups by several periods")
struct GroupPeriodAttackTests {
  private static let first = 10
  private static let ownAccounts = 9
  private static let noise = ReleaseNoise(randomBytes: World.system.randomBytes)

  private func period(from day: Int, to last: Int = 17) -> String {
    let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
    return ",\"from\":\"2026-11-\(pad(day))T00:00:00Z\",\"to\":\"2026-11-\(pad(last + 1))"
      + "T00:00:00Z\""
  }

  /// People with values from the 11th on, and accounts that have theirs on a day each before.
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
    "days on which only one's own accounts have values move nothing that is told",
    .tags(.GRP_1, .R30))
  func padding() async throws {
    try await SingleRequestStage.with(noise: Self.noise) { stage in
      // 1494 people: with six accounts of one's own, they are told as ten more.
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
    }
  }

  @Test(
    "asking without one person for another period tells the same number of people",
    .tags(.GRP_1, .R30))
  func anotherPeriod() async throws {
    try await SingleRequestStage.with(noise: Self.noise) { stage in
      try await populate(stage, others: 1_499)
      try await stage.addPeople(2_000..<2_001, .heartRate, 200, born: "1950-01-01", days: 0)
      try await stage.setDays(Self.first..<17, of: 2_000..<2_001, .heartRate, 200)
      let all = try await stage.groupObject("\"age>=18\"", "\"heartRate\"", period(from: 11))
      // Two days fewer at the front, and everybody but the one.
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
    "another breakdown tells the same of the whole, and other periods the same sizes of parts",
    .tags(.GRP_1, .R30))
  func breakdowns() async throws {
    try await SingleRequestStage.with(noise: Self.noise) { stage in
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
      let told = try sizes(of: without)
      #expect(told.count == 2)
      for day in [1, 5, 12, 13] {
        let later = try await stage.groupObject(
          "\"age>=18\"", "\"heartRate\"", bySex + period(from: day))
        #expect(try sizes(of: later) == told, "\(day)")
      }
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
