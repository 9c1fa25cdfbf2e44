import Postgres
import PostgresFixture
import Requirements
import Synchronization
import Testing

/// The number of reads of several transactions.
private final class Reads: Sendable {
  private let count = Atomic(0)
  var total: Int { count.load(ordering: .relaxed) }
  func add() { count.wrappingAdd(1, ordering: .relaxed) }
}

private let schema = """
  CREATE TABLE runners (
    number int8 CONSTRAINT runners_number_key PRIMARY KEY,
    name text NOT NULL CONSTRAINT runners_name_check CHECK (name <> ''),
    friend int8 CONSTRAINT runners_friend_fk REFERENCES runners DEFERRABLE INITIALLY DEFERRED
  )
  """

private struct Enrol: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    INSERT INTO runners (number, name, friend)
    VALUES (\(\.number), \(\.name), \(\.friend))
    RETURNING number
    """
  let number: Int64
  var name = "runner"
  var friend: Int64?
}

private struct Count: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "SELECT count(*) FROM runners"
}

private struct Rename: Statement {
  static let sql: SQL<Self> = "UPDATE runners SET name = \(\.name) WHERE number = \(\.number)"
  let number: Int64
  let name: String
}

private struct OpenSeries: Statement {
  static let sql: SQL<Self> = """
    DECLARE series CURSOR FOR SELECT generate_series(1, \(\.last)::int8)
    """
  let last: Int64
}

private struct NextOfSeries: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = "FETCH 1000 FROM series"
}

private enum EnrolError: DatabaseFailure, Equatable {
  case full
  case database(PostgresError)
}

/// Runs the body with a table of runners.
private func withRunners(
  _ body: @escaping @Sendable (Database) async throws -> Void
) async throws {
  try await TestDatabase.with(.empty) { test in
    try test.run(schema)
    try await test.onLoop(body)
  }
}

@Suite("writes and transactions") struct WriteTests {
  @Test("statements of one write are one transaction, and return the rows of each")
  func atomic() async throws {
    try await withRunners { database in
      let (first, _, count) = try await database.write(
        Enrol(number: 1), Rename(number: 1, name: "Anna"), Count())
      #expect(first == [1])
      #expect(count == [1])
      let error = await #expect(throws: PostgresError.self) {
        try await database.write(Enrol(number: 2), Enrol(number: 1))
      }
      #expect(error?.isUniqueViolation(of: "runners_number_key") == true)
      let left = try await database.readOne(Count())
      #expect(left == 1)
    }
  }

  @Test("an error found by the commit only is the write's error")
  func deferred() async throws {
    try await withRunners { database in
      let error = await #expect(throws: PostgresError.self) {
        try await database.write(Enrol(number: 1, friend: 99))
      }
      #expect(error?.isForeignKeyViolation(of: "runners_friend_fk") == true)
      let inTransaction = await #expect(throws: PostgresError.self) {
        try await database.transaction { transaction throws(PostgresError) in
          try await transaction.run(Enrol(number: 1, friend: 99))
        }
      }
      #expect(inTransaction?.isForeignKeyViolation(of: "runners_friend_fk") == true)
      let left = try await database.readOne(Count())
      #expect(left == 0)
    }
  }

  @Test("a transaction commits when its body returns, with or without a last statement")
  func commits() async throws {
    try await withRunners { database in
      let seen = try await database.transaction { transaction throws(PostgresError) in
        try await transaction.run(Enrol(number: 1), Enrol(number: 2))
        return try await transaction.runOne(Count())
      }
      #expect(seen == 2)
      try await database.transaction { transaction throws(PostgresError) in
        try await transaction.run(Enrol(number: 3))
        try await transaction.commit(Enrol(number: 4))
      }
      try await database.transaction { transaction throws(PostgresError) in
        try await transaction.commit(Enrol(number: 5))
      }
      try await database.transaction { _ throws(PostgresError) in }
      let left = try await database.readOne(Count())
      #expect(left == 5)
    }
  }

  @Test("a transaction rolls back when its body throws, and its connection is usable again")
  func rollsBack() async throws {
    try await withRunners { database in
      for _ in 0..<20 {
        await #expect(throws: EnrolError.full) {
          try await database.transaction { transaction throws(EnrolError) in
            try await transaction.run(Enrol(number: 1))
            throw .full
          }
        }
      }
      let left = try await database.readOne(Count())
      #expect(left == 0)
      try await database.write(Enrol(number: 1))
    }
  }

  @Test("a database error ends the transaction, even if the body continues")
  func endsOnError() async throws {
    try await withRunners { database in
      try await database.write(Enrol(number: 1))
      let error = await #expect(throws: EnrolError.self) {
        try await database.transaction { transaction throws(EnrolError) in
          try await transaction.run(Enrol(number: 2))
          do throws(EnrolError) { try await transaction.run(Enrol(number: 1)) } catch {}
          try await transaction.run(Enrol(number: 3))
        }
      }
      guard case .database(let cause)? = error else {
        Issue.record("the error is not the database's")
        return
      }
      #expect(cause.isUniqueViolation(of: "runners_number_key"))
      let left = try await database.readOne(Count())
      #expect(left == 1)
    }
  }

  @Test("a check violation is identified by its constraint")
  func check() async throws {
    try await withRunners { database in
      let error = await #expect(throws: PostgresError.self) {
        try await database.write(Enrol(number: 1, name: ""))
      }
      #expect(error?.isCheckViolation(of: "runners_name_check") == true)
      #expect(error?.server?.table == "public.runners")
    }
  }

  @Test("after commit no statement can be run in the transaction")
  func closed() async throws {
    try await withRunners { database in
      await #expect(throws: PostgresError.closed) {
        try await database.transaction { transaction throws(PostgresError) in
          try await transaction.commit(Enrol(number: 1))
          try await transaction.run(Enrol(number: 2))
        }
      }
      let left = try await database.readOne(Count())
      #expect(left == 1)
    }
  }

  @Test("the loser of two conflicting serializable transactions runs again, if allowed")
  func retries() async throws {
    try await withRunners { database in
      try await database.write(Enrol(number: 0))
      let reads = Reads()
      func enrolNext(_ retry: TransactionRetry) async throws(PostgresError) {
        try await database.transaction(isolation: .serializable, retrying: retry) {
          transaction throws(PostgresError) in
          let count = try await transaction.runOne(Count()) ?? 0
          reads.add()
          // Two transactions read before either writes, so that one of them loses.
          while reads.total < 2 { _ = try await transaction.runOne(Count()) }
          try await transaction.run(Enrol(number: count))
        }
      }
      async let first: Void = enrolNext(.conflicts(times: 20))
      async let second: Void = enrolNext(.conflicts(times: 20))
      async let third: Void = enrolNext(.conflicts(times: 20))
      do {
        _ = try await (first, second, third)
        // The loser has read again.
        #expect(reads.total > 3)
      } catch let error as PostgresError {
        // A duplicate number is another way for the loser to detect the conflict.
        #expect(error.isUniqueViolation(of: "runners_number_key"))
      }
      let left = try await database.readOne(Count()) ?? 0
      #expect((2...4).contains(left))
    }
  }

  @Test("a large result is read in portions through a cursor")
  func cursor() async throws {
    try await withRunners { database in
      let portions = try await database.transaction { transaction throws(PostgresError) in
        try await transaction.run(OpenSeries(last: 2500))
        var portions: [Int] = []
        while let count = Optional(try await transaction.run(NextOfSeries()).count), count > 0 {
          portions.append(count)
        }
        return portions
      }
      #expect(portions == [1000, 1000, 500])
    }
  }

  @Test("more transactions than connections wait for one another")
  func waits() async throws {
    try await withRunners { database in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<50 as Range<Int64> {
          group.addTask {
            try await database.transaction { transaction throws(PostgresError) in
              try await transaction.run(Enrol(number: number))
              try await transaction.commit(Rename(number: number, name: "Anna"))
            }
          }
        }
        try await group.waitForAll()
      }
      let left = try await database.readOne(Count())
      #expect(left == 50)
    }
  }
}
