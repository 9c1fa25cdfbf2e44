import Data4Help
import Postgres
import PostgresFixture
import Testing

@Suite("The statements of deletion and of the internal routes")
struct DeletionSchemaTests {
  @Test("every statement of deletion and Track4Run agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let problems = try StatementCheck.problems(
        of: DeletionStatements.all + Track4RunStatements.all, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("every statement about the ledger agrees with the schema of the keys' database")
  func agreeInKeys() async throws {
    try await TestDatabase.with(.keys) { database in
      let problems = try StatementCheck.problems(
        of: DeletionStatements.ofKeys, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
