import Data4Help
import Postgres
import PostgresFixture
import Requirements
import Testing

@Suite("The statements of single requests and accesses")
struct SingleRequestSchemaTests {
  @Test("every statement agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let statements =
        RequestStatements.all + AccessStatements.all + CallbackStatements.all
        + PreconfirmedStatements.all + RecallStatements.all + PaymentStatements.all
        + Track4RunStatements.all + EmergencyStatements.all
      let problems = try StatementCheck.problems(of: statements, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("every statement about anchors agrees with the schema of the keys' database")
  func agreeInKeys() async throws {
    try await TestDatabase.with(.keys) { database in
      let problems = try StatementCheck.problems(
        of: AccessStatements.ofKeys + DeletionStatements.ofKeys, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
