import Postgres
import PostgresFixture
import Requirements
import Testing
import Time

private struct Divide: Statement {
  typealias Row = Int
  static let sql: SQL<Self> = "SELECT 1000 / \(\.by)::int8"
  let by: Int
}

private struct BackendOf: Statement {
  struct Row: Hashable {
    let number: Int
    let backend: Int32
    let transactionStart: Instant
  }
  static let sql: SQL<Self> = "SELECT \(\.number)::int8, pg_backend_pid(), now()"
  static let columns = Columns(Row.init)
  let number: Int
}

private struct Insert: Statement {
  static let sql: SQL<Self> = "INSERT INTO things (number) VALUES (1)"
}

private struct TooMany: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = "SELECT generate_series(1, 2)"
}

private struct Broken: Statement {
  static let sql: SQL<Self> = "SELECT nothing FROM nowhere WHERE x = \(\.secret)"
  let secret: String
}

private struct Series: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT repeat('x', 1000) FROM generate_series(1, \(\.count)::int8)
    """
  let count: Int
}

@Suite("reads") struct ReadTests {
  @Test("each of 1,000 concurrent reads gets its own answer, though every tenth fails")
  func interleavedErrors() async throws {
    try await TestDatabase.with(.empty) { test in
      let wrong = try await test.onLoop { database in
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for number in 1...1000 {
            group.addTask {
              let by = number % 10 == 0 ? 0 : number
              do throws(PostgresError) {
                return try await database.readOne(Divide(by: by)) == 1000 / max(by, 1) && by != 0
              } catch {
                return by == 0 && error.server?.sqlState == "22012"
              }
            }
          }
          return try await group.reduce(into: 0) { $0 += $1 ? 0 : 1 }
        }
      }
      #expect(wrong == 0)
    }
  }

  @Test("1,000 reads of one turn share two connections and few transactions")
  func shared() async throws {
    try await TestDatabase.with(.empty) { test in
      let rows = try await test.onLoop { database in
        // Both connections are open before the thousand reads start.
        _ = try await database.read(BackendOf(number: 0))
        return try await withThrowingTaskGroup(of: BackendOf.Row?.self) { group in
          for number in 1...1000 {
            group.addTask { try await database.readOne(BackendOf(number: number)) }
          }
          return try await group.reduce(into: [BackendOf.Row?]()) { $0.append($1) }
        }
      }
      #expect(Set(rows.compactMap(\.?.number)) == Set(1...1000))
      #expect(Set(rows.compactMap(\.?.backend)).count <= 2)
      #expect(Set(rows.compactMap(\.?.transactionStart)).count < 100)
    }
  }

  @Test("a statement that modifies data is rejected as a read")
  func readOnly() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int4)")
      try await test.onLoop { database in
        let error = await #expect(throws: PostgresError.self) {
          try await database.read(Insert())
        }
        #expect(error?.server?.sqlState == "25006")
      }
    }
  }

  @Test("more than one row where at most one is expected is an unexpected result")
  func tooManyRows() async throws {
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        await #expect(
          throws: PostgresError.unexpectedResult("TooMany returned 2 rows instead of at most one")
        ) {
          try await database.readOne(TooMany())
        }
      }
    }
  }

  @Test("a statement that cannot be prepared reports the cause, without its parameters")
  func cannotPrepare() async throws {
    try await TestDatabase.with(.empty) { test in
      try await test.onLoop { database in
        for _ in 0..<2 {
          let error = await #expect(throws: PostgresError.self) {
            try await database.read(Broken(secret: "anna@example.org"))
          }
          #expect(error?.server?.sqlState == "42P01")
          #expect(error?.description.contains("anna") == false)
        }
      }
    }
  }

  @Test("a result of 50 MB arrives complete")
  func large() async throws {
    try await TestDatabase.with(.empty) { test in
      let count = try await test.onLoop { try await $0.read(Series(count: 50_000)).count }
      #expect(count == 50_000)
    }
  }

  @Test("a prepared statement survives a change of its table")
  func stalePlan() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8); INSERT INTO things VALUES (7)")
      try await test.onLoop { database in
        let got7 = try await database.readOne(AllOfThings())
        #expect(got7 == 7)
        try test.run("ALTER TABLE things ALTER number TYPE int4")
        try test.run("ALTER TABLE things ADD other int8 DEFAULT 8")
        try test.run("ALTER TABLE things DROP number")
        let got8 = try await database.readOne(AllOfThings())
        #expect(got8 == 8)
      }
    }
  }
}

private struct AllOfThings: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT * FROM things"
}
