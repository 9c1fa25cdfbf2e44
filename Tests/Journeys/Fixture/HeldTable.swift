import Support
import Testing

/// A lock that blocks all reads and writes of a table.
struct HeldTable: Sendable {
  private let table: String
  private let system: TestSystem
  private let holder: Task<Void, any Error>

  /// Runs `body` while a table of the installation is locked: until `release`, or the end of
  /// `body`.
  static func with(
    _ table: String, of system: TestSystem, _ body: (HeldTable) async throws -> Void
  ) async throws {
    let held = try await HeldTable(table, of: system)
    do { try await body(held) } catch {
      do { try await held.release() } catch { Issue.record(error, "The lock remains.") }
      throw error
    }
    try await held.release()
  }

  private init(_ table: String, of system: TestSystem) async throws {
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

  /// Releases the lock, unless it is released.
  func release() async throws {
    try await system.superuser(
      """
      SELECT pg_cancel_backend(pid) FROM pg_stat_activity
       WHERE query LIKE '%LOCK TABLE \(table);%' AND pid <> pg_backend_pid()
      """)
    try await holder.value
  }
}
