import Postgres
import PostgresFixture
import Requirements
import Testing

private struct Right: Statement {
  struct Row {
    let number: Int64
    let name: String?
  }
  static let sql: SQL<Self> = "SELECT number, name FROM things WHERE number = \(\.number)"
  static let columns = Columns(Row.init)
  let number: Int64
}

private struct WrongColumn: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = "SELECT number FROM things"
}

private struct WrongCount: Statement {
  static let sql: SQL<Self> = "SELECT number FROM things"
}

private struct WrongParameter: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT number FROM things WHERE small = \(\.small)"
  let small: Int64
}

private struct WrongNull: Statement {
  typealias Row = String
  static let sql: SQL<Self> = "SELECT name FROM things"
}

private struct WrongTable: Statement {
  typealias Row = String
  static let sql: SQL<Self> = "SELECT name FROM thinks"
}

private struct Nested: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT number FROM things WHERE number = ANY (\(\.numbers))"
  let numbers: [[Int64]]
}

@Suite("the statement check") struct StatementCheckTests {
  @Test(
    "mismatches with the schema are found",
    arguments: [
      (Right.self as any Statement.Type, []),
      (WrongColumn.self, ["WrongColumn: column 1 (number) is int4 here, bigint in the schema"]),
      (WrongCount.self, ["WrongCount: the row has 0 columns, the result 1"]),
      (
        WrongParameter.self,
        ["WrongParameter: parameter 1 is int8 here, smallint in the schema"]
      ),
      (
        WrongNull.self,
        ["WrongNull: column 1 (name) can be NULL in the schema and not in the row"]
      ),
      (
        WrongTable.self,
        ["WrongTable: the server refuses it with 42P01, relation \"thinks\" does not exist"]
      ),
      (Nested.self, ["Nested: parameter 1 has no type in the server"]),
    ] as [(any Statement.Type, [String])])
  func findings(_ statement: any Statement.Type, _ problems: [String]) async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8 NOT NULL, small int2 NOT NULL, name text)")
      #expect(try StatementCheck.problems(of: [statement], at: test.url()) == problems)
    }
  }
}
