import Emergencies
import Postgres
import PostgresFixture
import Testing

@Suite("The statements of emergencies")
struct EmergencySchemaTests {
  @Test("every statement of emergencies agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let problems = try StatementCheck.problems(
        of: EmergencyStatements.all, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
