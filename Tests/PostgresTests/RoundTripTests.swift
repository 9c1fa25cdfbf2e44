import EventLoop
import Postgres
import PostgresFixture
import Requirements
import Testing

struct One: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT 1::int8"
}

@Test("a statement answers")
func answers() async throws {
  try await TestDatabase.with(.empty) { test in
    let one = try await test.onLoop { try await $0.readOne(One()) }
    #expect(one == 1)
  }
}

@Test("the migrations of both databases apply", arguments: [TestDatabase.Template.data, .keys])
func migrationsApply(_ template: TestDatabase.Template) async throws {
  try await TestDatabase.with(template) { test in
    let rows = try test.session().rows("SELECT count(*) > 0 FROM trackme.migrations")
    #expect(rows == [["t"]])
  }
}
