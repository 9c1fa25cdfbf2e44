import PostgresFixture
import Support

extension TestDatabase {
  /// Waits until a call waits for a lock in the database.
  package func untilLockIsAwaited() async throws {
    try await eventually("a call that waits for a lock", within: .seconds(120)) {
      try cell(
        """
        SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND wait_event_type = 'Lock'
        """) != "0"
    }
  }
}

extension SingleRequestStage {
  /// Returns when a call waits for a lock in the database.
  package func untilLockIsAwaited() async throws {
    try await here {
      try await self.installation.data.untilLockIsAwaited()
    }
  }
}
