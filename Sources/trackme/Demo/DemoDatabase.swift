import Operations
import Postgres

/// What demo data asks of the database itself: whether there is anybody, and a run, which no
/// endpoint can make yet.
enum DemoDatabase {
  static func hasAccounts(_ databases: Databases) throws(StartError) -> Bool {
    try using(databases) { session throws(AdminSessionError) in
      try !session.rows("SELECT 1 FROM data4help.accounts LIMIT 1").isEmpty
    }
  }

  /// A run next week along the Naviglio of Milan, organised by the one third party there is.
  static func publishRun(_ databases: Databases) throws(StartError) {
    try using(databases) { session throws(AdminSessionError) in
      _ = try session.rows(
        """
        WITH run AS (
          INSERT INTO track4run.runs
            (organiser_id, organiser_name, name, starts_at, enrol_until, ends_at,
             participants_max)
          SELECT account_id, 'Ospedale del Cuore', 'Corsa del Naviglio',
                 date_trunc('day', now()) + interval '7 days 8 hours',
                 date_trunc('day', now()) + interval '7 days 8 hours',
                 date_trunc('day', now()) + interval '7 days 11 hours', 200
            FROM data4help.accounts
           WHERE kind = 2
             AND NOT EXISTS (SELECT FROM track4run.publications WHERE code = 'DEMO2026')
           ORDER BY registered_at LIMIT 1
          RETURNING run_id
        )
        INSERT INTO track4run.publications
          (run_id, code, end_latitude, end_longitude, published_at)
        SELECT run_id, 'DEMO2026', 45.4503, 9.1700, now() FROM run
        """)
    }
  }

  private static func using<Value>(
    _ databases: Databases, _ work: (AdminSession) throws(AdminSessionError) -> Value
  ) throws(StartError) -> Value {
    let url = try databases.migrationURL(.trackme).revealed
    do throws(AdminSessionError) {
      return try work(try AdminSession(url: url, applicationName: "trackme demo"))
    } catch {
      throw StartError("The demo data cannot be made: \(error.description)")
    }
  }
}
