import EventLoop
import Postgres
import PostgresFixture
import Requirements
import Support
import Synchronization
import Testing

/// Returns the server process that ran it.
private struct Insert: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = """
    INSERT INTO things VALUES (\(\.number)) RETURNING pg_backend_pid()
    """
  let number: Int64
}

private struct Backend: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = "SELECT pg_backend_pid()"
}

@Suite("handovers of the database") struct HandoverTests {
  /// Ends all sessions of the database but the one that asks, as a server that stops.
  private static let end = """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
    """

  /// The number of announcements that a loop has seen.
  private final class Announcements: Sendable {
    private let count = Mutex(0)
    var total: Int { count.withLock { $0 } }
    var isAny: Bool { total > 0 }
    func add(_ event: DatabaseEvent) {
      if event == .handoverAnnounced { count.withLock { $0 += 1 } }
    }
  }

  @Test(
    "announced, a stop of the server fails no request: open transactions end, new work is held",
    .tags(.OPS_4), .timeLimit(.minutes(2)))
  func nothingFails() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      let announcements = Announcements()
      try await test.onLoop(
        report: announcements.add, change: { $0.statementMax = .seconds(600) }
      ) { database in
        let former = try #require(try await database.writeOne(Insert(number: 1)))
        let formerReader = try #require(try await database.readOne(Backend()))
        try await database.transaction { transaction throws(PostgresError) in
          let own = try await transaction.runOne(Insert(number: 0))
          do {
            try test.run("NOTIFY trackme_handover, 'first'")
            try await eventually("the announcement") { announcements.isAny }
          } catch {
            Issue.record(error)
          }
          // What an open transaction still reads is not held.
          let read = try await database.readOne(Backend())
          #expect(read == formerReader)
          let same = try await transaction.runOne(Insert(number: 2))
          #expect(own == same)
        }
        async let write = database.writeOne(Insert(number: 3))
        async let read = database.readOne(Backend())
        try test.run(Self.end)
        let (writer, reader) = try await (write, read)
        #expect(writer != nil && writer != former)
        #expect(reader != nil && reader != formerReader)
        // As late as a connection that was busy: no second hold of the same handover.
        try test.run("NOTIFY trackme_handover, 'first'")
        for _ in 0..<2 { _ = try await database.readOne(Backend()) }
        #expect(announcements.total == 1)
        try test.run("NOTIFY trackme_handover, 'second'")
        try await eventually("the second announcement") { announcements.total == 2 }
      }
      let stored = try test.cell("SELECT string_agg(number::text, ' ' ORDER BY number) FROM things")
      #expect(stored == "0 1 2 3")
    }
  }

  @Test("a connection that lost its server listens again", .tags(.OPS_4), .timeLimit(.minutes(2)))
  func listensAgain() async throws {
    try await TestDatabase.with(.empty) { test in
      let announcements = Announcements()
      try await test.onLoop(report: announcements.add) { database in
        let former = try #require(try await database.readOne(Backend()))
        try test.run(Self.end)
        try await eventually("another connection") {
          try await database.readOne(Backend()) != former
        }
        try test.run("NOTIFY trackme_handover")
        try await eventually("the announcement") { announcements.isAny }
      }
    }
  }
}
