import Accounts
import Mail
import Postgres
import PostgresFixture
import Testing

@Suite("The statements of accounts")
struct AuthenticationSchemaTests {
  @Test("every statement of accounts and mail agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let statements =
        AuthenticationStatements.all + DeliveryStatements.all + NoticeStatements.all
        + PushStatements.all
      let problems = try StatementCheck.problems(of: statements, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("every statement about keys of accounts agrees with the schema of the keys' database")
  func agreeInKeys() async throws {
    try await TestDatabase.with(.keys) { database in
      let problems = try StatementCheck.problems(
        of: AccountKeyStatements.ofKeys, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
