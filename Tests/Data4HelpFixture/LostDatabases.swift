import Postgres
import PostgresFixture

extension SingleRequestStage {
  /// Closes both databases to every role, or opens them again.
  ///
  /// A request waits for a closed database only as long as a test can afford, and for an open one
  /// as long as a busy machine takes to connect.
  package func setUnavailable(_ isUnavailable: Bool) async throws {
    try await here { [self] in
      for databases in [parts, reserved] {
        for database in [databases.database, databases.keysDatabase] {
          database.setWaitMax(isUnavailable ? .milliseconds(300) : .seconds(60))
        }
      }
    }
    for database in [installation.data, installation.keys] {
      let admin = try AdminSession(
        url: database.cluster.url("postgres"), applicationName: "away")
      try admin.run("ALTER DATABASE \(database.name) ALLOW_CONNECTIONS \(!isUnavailable)")
      guard isUnavailable else { continue }
      _ = try admin.rows(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1",
        [database.name])
    }
  }
}
