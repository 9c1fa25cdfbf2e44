import HealthRecords
import Postgres
import PostgresFixture
import Support
import Testing

@Suite("Query plans of samples")
struct SampleQueryPlanTests {
  @Test("the last part of a day is one look-up, within the statement that calls the function")
  func dayHeads() async throws {
    try await TestDatabase.with { test in
      let statement = try #require(HealthDataStatements.all.first { $0.name == "DayHeads" })
      let plan = try test.plan(of: statement, ["{1,2}", "{2,2}", "{20000,20000}", "1750"])
      #expect(plan.contains("Limit"), "\(plan)")
      #expect(plan.contains("Index Scan Backward using chunks_"), "\(plan)")
      #expect(!plan.contains("day_heads"), "\(plan)")
    }
  }
}
