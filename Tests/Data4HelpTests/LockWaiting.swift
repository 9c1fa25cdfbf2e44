import EventLoop
import PostgresFixture

extension TestDatabase {
  struct NobodyWaits: Error {}

  /// Returns when a call waits for a lock in the database. On the loop.
  func untilSomebodyWaits(on loop: EventLoop) async throws {
    for _ in 0..<1_500 {
      let waiting = try cell(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
        """)
      if waiting != "0" { return }
      try await loop.wait(for: .milliseconds(20))
    }
    throw NobodyWaits()
  }
}
