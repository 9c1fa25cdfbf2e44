import Cryptography
import Data4HelpFixture
import Domain
import Foundation
import Postgres
import PostgresFixture
import PublicAPI
import Requirements
import Testing

/// Attack 10 of `docs/facts.md` on the service, here without noise in its releases.
@Suite("Reconstruction of one person by group answers of the service")
struct GroupReconstructionAttackTests {
  private static let people = 1_010
  /// The values of the targets, at the ends of the range: each is the only person of an age,
  /// between ages with many people.
  private static let targets = [30.0, 200, 200, 30]

  @Test(
    "sums of groups over a thousand people apart reveal a value with the person's noise only",
    .tags(.GRP_1, .R30))
  func solved() async throws {
    let root = try RootSecret(
      RootKeyRing(
        newestFirst: [RootKey(SecretBytes(copying: Array(repeating: 104, count: 32).span))]))
    try await SingleRequestStage.with(rootOfNoise: root) { stage in
      try await stage.populate()
      for place in 0...2 * Self.targets.count {
        let born = "\(1_985 - place)-01-01"
        let first = 10_000 * place
        if place % 2 == 0 {
          try await stage.addPeople(first..<first + Self.people, born: born, days: 17)
        } else {
          let value = Self.targets[place / 2]
          try await stage.addPeople(first..<first + 1, .heartRate, value, born: born, days: 17)
        }
      }
      var (own, bare) = (0.0, 0.0)
      for (index, value) in Self.targets.enumerated() {
        let place = 2 * index + 1
        let solved = try await contribution(ofAge: 41 + place, stage)
        let rows = try stage.installation.data.session().rows(
          "SELECT member FROM data4help.accounts WHERE account_id = $1::int8",
          ["\(1_000_000 + 10_000 * place)"])
        let member = try #require(rows.first?.first.flatMap { $0 }.flatMap { Int($0) })
        let coding = try #require(DayValueCode(.heartRate))
        let steps = stage.installation.personNoise.levels(.heartRate, from: member, count: 1)[0]
        let level = Double(steps) / DayValueCode.stepsOfRange * coding.width
        own += (solved - coding.clamped(value) - level) * (solved - coding.clamped(value) - level)
        bare += (solved - coding.clamped(value)) * (solved - coding.clamped(value))
      }
      // The remainder comes from rounding and from the draws of days; the levels are larger.
      print("squares left: \(own) of \(bare)")
      #expect(own < bare / 2)
      #expect(bare > 4 * 40 * 40)
    }
  }

  /// The contribution of the only person of an age to the sum of values, by the mean over some
  /// periods: the people of three ages, minus those of the first and those of the last.
  private func contribution(ofAge age: Int, _ stage: SingleRequestStage) async throws -> Double {
    var sum = 0.0
    let periods = 2...9
    for first in periods {
      let rest = ",\"from\":\"2026-11-0\(first)T00:00:00Z\",\"to\":\"2026-11-18T00:00:00Z\""
      func total(_ ages: ClosedRange<Int>, _ people: Int) async throws -> Double {
        let search = "\"age>=\(ages.lowerBound)\",\"age<=\(ages.upperBound)\""
        let answer = try await stage.groupObject(search, "\"heartRate\"", rest)
        let type = try #require((answer["dataTypes"] as? [[String: Any]])?.first)
        return try #require(type["mean"] as? Double) * Double(people)
      }
      sum += try await total(age - 1...age + 1, 2 * Self.people + 1)
      sum -= try await total(age - 1...age - 1, Self.people)
      sum -= try await total(age + 1...age + 1, Self.people)
    }
    return sum / Double(periods.count)
  }
}
