import EventLoop
import PostgresFixture

extension TestDatabase {
  struct NobodyWaits: Error {}

  /// Waits until a call waits for a lock in the database. On the loop.
  func untilSomebodyWaits(on loop: EventLoop) async throws {
    let isSomebodyWaiting = try await happens(on: loop, lookingEvery: .milliseconds(20)) {
      try cell(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
        """) != "0"
    }
    guard isSomebodyWaiting else { throw NobodyWaits() }
  }
}
