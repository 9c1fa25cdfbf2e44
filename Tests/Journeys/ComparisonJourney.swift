import Foundation
import Requirements
import Support
import Testing

/// Uses its own system, with people created by the lab.
@Suite("Comparisons with people of the same age, through the gateway")
struct ComparisonJourney {
  @Test(
    "with few people only a person's own values are shown, with many also their mean", .tags(.DAT_4)
  )
  func compared() async throws {
    let system = try await TestSystem()
    let user = try await system.singleUser()
    let dayBefore = Date(timeIntervalSinceNow: -172_800).ISO8601Format()
    try await user.upload("weight", [(dayBefore, 70)])
    try await user.upload("heartRate", [(dayBefore, 120)])
    let few = try await user.get("/data/compare?type=weight")
    #expect(few.outcome == .ok, "\(few.text)")
    #expect(few.json.others.isNull && few.json.reason == "too few people")
    #expect(few.json.own.mean == 70)
    #expect(few.json.own.days.count == 1)
    #expect(few.json.reference.isNull)
    let made = try await system.lab("generate", "people", "--count", "12000")
    try #require(made.isSuccess, "\(made.output)")
    let many = try await user.get("/data/compare?type=heartRate").json
    #expect(many.ageBand == "40-49")
    #expect((many.others.people.int ?? 0) > 1000)
    let mean = try #require(many.others.mean.number)
    #expect((60...80).contains(mean))
    #expect(many.own.mark == "above")
    #expect(many.own.days[0].mark == "above")
    // Another person of the same age without data receives the same mean.
    let other = try await system.singleUser()
    let same = try await other.get("/data/compare?type=heartRate").json
    #expect(same.others == many.others)
    #expect(same.own.isNull && same.ownMissing == "no data")
    #expect(many.ownMissing.isNull)
    try await other.upload("heartRate", [(Date(timeIntervalSinceNow: -60).ISO8601Format(), 70)])
    let today = try await other.get("/data/compare?type=heartRate").json
    #expect(today.own.isNull && today.ownMissing == "day not closed", "\(today)")
    let off: JSONValue = ["types": ["heartRate"], "enabled": [false]]
    #expect(try await other.post("/settings/single/data", off).outcome == .ok)
    let switched = try await other.get("/data/compare?type=heartRate").json
    #expect(switched.ownMissing == "type off", "\(switched)")
    let position = try await user.get("/data/compare?type=position")
    #expect(position.outcome == .malformed)
    #expect(position.field == "type")
  }
}
