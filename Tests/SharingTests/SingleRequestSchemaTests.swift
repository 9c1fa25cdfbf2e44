import Postgres
import PostgresFixture
import Sharing
import Testing

@Suite("The statements of single requests and accesses")
struct SingleRequestSchemaTests {
  @Test("every statement agrees with the schema, as the service's role")
  func agree() async throws {
    try await TestDatabase.with { database in
      let statements =
        RequestStatements.all + AccessStatements.all + CallbackStatements.all
        + TrustedThirdPartyStatements.all + RevocationStatements.all + PaymentStatements.all
      let problems = try StatementCheck.problems(of: statements, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }

  @Test("records to checkpoint are found by a partial index")
  func checkpointing() async throws {
    try await TestDatabase.with { database in
      try database.run(
        """
        INSERT INTO data4help.access_heads (account_id, count, head, checkpointed_count)
        SELECT number, 9, '\\x00', CASE number % 1000 WHEN 0 THEN 8 ELSE 9 END
          FROM generate_series(1, 50000) AS number;
        ANALYZE data4help.access_heads
        """)
      let statement = try #require(
        AccessStatements.all.first { $0.name == "AccountsToCheckpoint" })
      let plan = try database.plan(of: statement, ["0", "500"])
      #expect(plan.contains("access_heads_checkpointed_count_idx"), "\(plan)")
      #expect(!plan.contains("Seq Scan"), "\(plan)")
    }
  }

  @Test("every statement about checkpoints agrees with the schema of the keys' database")
  func agreeInKeys() async throws {
    try await TestDatabase.with(.keys) { database in
      let problems = try StatementCheck.problems(
        of: AccessStatements.ofKeys, at: database.url(as: "data4help"))
      #expect(problems == [])
    }
  }
}
