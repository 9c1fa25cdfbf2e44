import Support
import Testing

/// A lock that blocks all reads and writes of a table until `release`.
struct HeldTable: Sendable {
  private let table: String
  private let system: TestSystem
  private let holder: Task<Void, any Error>

  /// Locks a table of the installation and returns once the lock is granted. The lock lasts until
  /// `release`, or for an hour if the test fails before.
  init(_ table: String, of system: TestSystem) async throws {
    (self.table, self.system) = (table, system)
    holder = Task {
      try await system.superuser(
        """
        DO $$ BEGIN
          LOCK TABLE \(table);
          PERFORM pg_sleep(3600);
        EXCEPTION WHEN query_canceled THEN NULL;
        END $$
        """)
    }
    _ = try await eventually("the lock of \(table)") {
      try await system.superuser(
        """
        SELECT count(*) FROM pg_locks
         WHERE relation = '\(table)'::regclass AND mode = 'AccessExclusiveLock' AND granted
        """) == "1" ? true : nil
    }
  }

  /// Releases the lock.
  func release() async throws {
    try await system.superuser(
      """
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
       WHERE query LIKE '%LOCK TABLE \(table);%' AND pid <> pg_backend_pid()
      """)
    try await holder.value
  }
}
