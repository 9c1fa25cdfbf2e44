import Postgres
import PostgresFixture
import Requirements
import Testing

@Suite("listening") struct ListenerTests {
  @Test(
    "a listener is woken on connecting, at each notification, and after a lost connection",
    .timeLimit(.minutes(2)))
  func wakes() async throws {
    try await TestDatabase.with(.empty) { test in
      let (wakes, wake) = AsyncStream.makeStream(of: Void.self)
      try await test.onLoop { database in
        database.listen(to: "things") { wake.yield() }
        var iterator = wakes.makeAsyncIterator()
        await iterator.next()
        try test.run("NOTIFY things")
        await iterator.next()
        try test.run(
          """
          SELECT pg_terminate_backend(pid) FROM pg_stat_activity
           WHERE query LIKE 'LISTEN%' AND datname = current_database()
          """)
        await iterator.next()
        try test.run("NOTIFY things")
        await iterator.next()
      }
    }
  }
}
