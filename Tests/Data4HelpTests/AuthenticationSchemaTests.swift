import Data4Help
import Delivery
import Postgres
import PostgresFixture
import Requirements
import Testing

@Suite("The statements of accounts")
struct AuthenticationSchemaTests {
  @Test("every statement of accounts and mail agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let statements =
        AuthenticationStatements.all + DeliveryStatements.all + DeletionStatements.all
      let problems = try StatementCheck.problems(of: statements, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
