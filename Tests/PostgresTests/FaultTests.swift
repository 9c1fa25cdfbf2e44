import EventLoop
import Glibc
import Postgres
import PostgresFixture
import Requirements
import Support
import Synchronization
import Testing
import Time

private struct Sleep: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT 1::int8 FROM pg_sleep(\(\.seconds)::float8)
    """
  let seconds: Double
}

private struct Backend: Statement {
  typealias Row = Int32
  static let sql: SQL<Self> = "SELECT pg_backend_pid()"
}

private struct SlowInsert: Statement {
  static let sql: SQL<Self> = "INSERT INTO things SELECT 1 FROM pg_sleep(30)"
}

private struct Insert: Statement {
  static let sql: SQL<Self> = "INSERT INTO things VALUES (\(\.number))"
  let number: Int64
}

/// The reported events, shared by loop and test.
private final class Reports: Sendable {
  private let all = Mutex<[DatabaseEvent]>([])
  func add(_ event: DatabaseEvent) { all.withLock { $0.append(event) } }
  func contains(_ matches: (DatabaseEvent) -> Bool) -> Bool {
    all.withLock { $0.contains(where: matches) }
  }
}

/// A read that is slow the first time, until a row records that its backend was killed.
private struct SlowUntilKilled: Statement {
  typealias Row = Int64
  static let sql: SQL<Self> = """
    SELECT 1::int8 FROM pg_sleep(CASE WHEN EXISTS (SELECT FROM things) THEN 0 ELSE 60 END)
    """
}

/// Kills the backend that runs a statement with this text, as soon as there is one, and inserts a
/// row.
private func terminate(running text: String, in test: TestDatabase) async throws {
  let session = try test.session()
  let backend = try await eventually("a backend that runs \(text)") { () async throws -> String? in
    let rows = try session.rows(
      """
      SELECT pid FROM pg_stat_activity
       WHERE state = 'active' AND pid <> pg_backend_pid() AND query LIKE '%' || $1 || '%'
         AND wait_event = 'PgSleep' AND datname = current_database()
      """, [text])
    return rows.first?.first ?? nil
  }
  try session.run("INSERT INTO things VALUES (0)")
  _ = try session.rows("SELECT pg_terminate_backend($1::int4)", [backend])
}

/// A server that accepts connections and answers nothing, as one whose processes are frozen.
private func silentServer() throws -> LoopbackListener {
  try LoopbackListener { connection in while connection.readByte() != nil {} }
}

/// The processor time that the calling thread has used.
private func processorTime() -> Duration {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
}

@Suite("faults of the database") struct FaultTests {
  @Test("a read whose backend is killed is repeated and answered", .tags(.NFR_4))
  func readIsRepeated() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      let reports = Reports()
      try await test.onLoop(report: reports.add) { database in
        async let slow = database.readOne(SlowUntilKilled(), within: .seconds(30))
        try await terminate(running: "pg_sleep", in: test)
        let answer = try await slow
        #expect(answer == 1)
      }
      #expect(reports.contains { if case .lost = $0 { true } else { false } })
    }
  }

  @Test("a write whose backend is killed has an unknown outcome and is not repeated")
  func writeIsNot() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      try await test.onLoop { database in
        async let slow: Void = {
          _ = try await database.write(SlowInsert(), within: .seconds(30))
        }()
        try await terminate(running: "pg_sleep", in: test)
        var failure: PostgresError?
        do { try await slow } catch { failure = error as? PostgresError }
        #expect(failure == .outcomeUnknown)
        // The next write has a new connection.
        try await database.write(Insert(number: 7))
      }
      #expect(try test.session().rows("SELECT number FROM things") == [["0"], ["7"]])
    }
  }

  @Test("a transaction whose connection is lost before its commit has no effect")
  func transactionLost() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      try await test.onLoop { database in
        let error = await #expect(throws: PostgresError.self) {
          try await database.transaction { transaction throws(PostgresError) in
            try await transaction.run(Insert(number: 1))
            try await transaction.run(TerminateSelf())
          }
        }
        #expect(error == .unavailable)
      }
      #expect(try test.session().rows("SELECT number FROM things") == [])
    }
  }

  @Test("a transaction whose connection is lost between statements does not move to another")
  func transactionLostBetween() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      try await test.onLoop { database in
        await #expect(throws: PostgresError.unavailable) {
          try await database.transaction { transaction throws(PostgresError) in
            let backend = try await transaction.runOne(Backend()) ?? 0
            try await transaction.run(Insert(number: 1))
            do {
              try await onThread { try test.run("SELECT pg_terminate_backend(\(backend), 5000)") }
            } catch { throw .closed }
            try await transaction.run(Insert(number: 2))
          }
        }
      }
      #expect(try test.session().rows("SELECT number FROM things") == [])
    }
  }

  @Test("a transaction that waits for too long is ended by the server with its locks")
  func idleTransaction() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      try await test.onLoop(change: { $0.transactionIdleMax = .milliseconds(200) }) { database in
        await #expect(throws: PostgresError.unavailable) {
          try await database.transaction { transaction throws(PostgresError) in
            let backend = try await transaction.runOne(Backend()) ?? 0
            try await transaction.run(Insert(number: 1))
            do {
              try await eventually("the end of the server's process") {
                try test.cell(
                  "SELECT count(*) FROM pg_stat_activity WHERE pid = $1::int4", "\(backend)") == "0"
              }
            } catch { throw .closed }
            try await transaction.run(Insert(number: 2))
          }
        }
      }
      #expect(try test.session().rows("SELECT number FROM things") == [])
    }
  }

  @Test("a statement beyond its time limit is cancelled, and its neighbours are answered")
  func timesOut() async throws {
    try await TestDatabase.with(.empty) { test in
      let reports = Reports()
      try await test.onLoop(report: reports.add, change: { $0.readConnections = 1 }) { database in
        _ = try await database.readOne(Backend())
        async let slow = database.readOne(Sleep(seconds: 60), within: .milliseconds(200))
        async let neighbour = database.readOne(Backend())
        var failure: PostgresError?
        do { _ = try await slow } catch { failure = error as? PostgresError }
        #expect(failure == .timedOut)
        let answer = try await neighbour
        #expect(answer != nil)
      }
      #expect(reports.contains { $0 == .timedOut(statement: "Sleep") })
    }
  }

  @Test("a write beyond its time limit is ended by the server, and its connection is replaced")
  func writeTimesOut() async throws {
    try await TestDatabase.with(.empty) { test in
      try test.run("CREATE TABLE things (number int8)")
      try await test.onLoop(change: { $0.writeConnections = 1 }) { database in
        // The connection is opened before the measurement, because opening it is not tested here.
        try await database.write(Insert(number: 6))
        await #expect(throws: PostgresError.timedOut) {
          try await database.write(SlowInsert(), within: .milliseconds(200))
        }
        try await database.write(Insert(number: 7))
      }
      let session = try test.session()
      try await eventually("the end of the statement, which takes 30 s", within: .seconds(20)) {
        try session.rows(
          """
          SELECT pid FROM pg_stat_activity
           WHERE state = 'active' AND query LIKE '%pg_sleep(30)%' AND pid <> pg_backend_pid()
             AND datname = current_database()
          """
        ).isEmpty
      }
      let rows = try test.session().rows("SELECT number FROM things ORDER BY number")
      #expect(rows == [["6"], ["7"]])
    }
  }

  @Test("without a server a request waits its time limit and is then unavailable", .tags(.NFR_4))
  func unavailable() async throws {
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let reports = Reports()
    var settings = DatabaseSettings(
      url: "postgresql://nobody@%2Fnowhere/nothing", applicationName: "test")
    settings.waitMax = .milliseconds(300)
    let database = Database(settings, on: loop, report: reports.add)
    let waited = await Task(executorPreference: loop) {
      // By the loop's clock, which sets and checks deadlines: it is read once a turn, so another
      // clock may measure less than the wait.
      let start = loop.now
      await #expect(throws: PostgresError.unavailable) { try await database.read(Backend()) }
      await #expect(throws: PostgresError.unavailable) {
        try await database.write(Insert(number: 1))
      }
      return loop.now - start
    }.value
    #expect(waited >= .milliseconds(600))
    #expect(waited < .seconds(60))
    #expect(reports.contains { if case .connectFailed = $0 { true } else { false } })
  }

  @Test("a host that accepts connections and answers nothing delays no other one", .tags(.NFR_4))
  func silentHost() async throws {
    let silent = try silentServer()
    defer { silent.stop() }
    try await TestDatabase.with(.empty) { test in
      let url = test.url().replacing("@", with: "@127.0.0.1:\(silent.port),")
      let change = { (settings: inout DatabaseSettings) in
        settings.url = url
        settings.connectMax = .seconds(600)
      }
      try await test.onLoop(change: change) { database in
        let answer = try await database.readOne(Backend())
        #expect(answer != nil)
      }
    }
  }

  @Test("waiting for a server that answers nothing takes no processor time")
  func waitingIsIdle() async throws {
    let silent = try silentServer()
    defer { silent.stop() }
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    var settings = DatabaseSettings(
      url: "postgresql://nobody@127.0.0.1:\(silent.port)/nothing", applicationName: "test")
    settings.waitMax = .seconds(1)
    let database = Database(settings, on: loop)
    let used = await Task(executorPreference: loop) {
      let before = processorTime()
      await #expect(throws: PostgresError.unavailable) { try await database.read(Backend()) }
      database.close()
      return processorTime() - before
    }.value
    #expect(used < .milliseconds(100))
  }

  @Test("while the server crashes and restarts, requests wait and succeed", .tags(.NFR_4))
  func restart() async throws {
    let cluster = try await onThread { try TestCluster() }
    let loop = try EventLoop.start(name: "test")
    defer { loop.stop() }
    let database = Database(TestDatabase.settings(url: cluster.url("postgres")), on: loop)
    try await Task(executorPreference: loop) {
      let before = try await database.readOne(Backend())
      let restarted = Atomic(false)
      // Reads continue meanwhile; each either waits and succeeds, or reports that it may be
      // repeated.
      async let restart: Void = onThread { try cluster.restart() }
      async let reads = {
        var outcomes: [PostgresError?] = []
        while !restarted.load(ordering: .acquiring) {
          do throws(PostgresError) {
            _ = try await database.readOne(Backend())
            outcomes.append(nil)
          } catch { outcomes.append(error) }
        }
        return outcomes
      }()
      try await restart
      restarted.store(true, ordering: .releasing)
      let failures = await reads.compactMap { $0 }
      #expect(failures.allSatisfy { $0 == .unavailable })
      let after = try await database.readOne(Backend())
      #expect(after != nil && after != before)
    }.value
  }
}

private struct TerminateSelf: Statement {
  typealias Row = Bool
  static let sql: SQL<Self> = "SELECT pg_terminate_backend(pg_backend_pid())"
}
