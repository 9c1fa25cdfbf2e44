import Postgres
import PostgresFixture
import Testing
import Track4Run

@Suite("Statements of Track4Run")
struct StatementTests {
  @Test("the statements agree with the schema")
  func statements() async throws {
    try await TestDatabase.with { test in
      let problems = try StatementCheck.problems(
        of: Track4RunService.statements, at: test.url(as: "track4run"))
      #expect(problems.isEmpty)
    }
  }
}
