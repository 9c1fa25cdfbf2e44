import Domain
import Installation
import Operations
import Postgres

/// The direct database access of the demo data: whether any account exists, and a run whose code is
/// known in advance, which no endpoint offers.
enum DemoDatabase {
  static func hasAccounts(_ urls: DatabaseURLs) throws(StartError) -> Bool {
    try using(urls) { session throws(AdminSessionError) in
      try !session.rows("SELECT 1 FROM data4help.accounts LIMIT 1").isEmpty
    }
  }

  /// Inserts a run next week along the Naviglio of Milan, organised by the only third party.
  static func publishRun(_ urls: DatabaseURLs) throws(StartError) {
    let path = try demoPath()
    let corners = path.points.map { "\($0.longitude) \($0.latitude)" }
    let values = [
      "LINESTRING(\(corners.joined(separator: ",")))", "\(Course(path).length)",
      "\(path.finish.latitude)", "\(path.finish.longitude)",
    ]
    try using(urls) { session throws(AdminSessionError) in
      _ = try session.rows(
        """
        WITH run AS (
          INSERT INTO track4run.runs
            (organiser_id, organiser_name, name, place, starts_at, enrol_until, ends_at,
             participants_max)
          SELECT account_id, 'Ospedale del Cuore', 'Corsa del Naviglio', 'Milano',
                 date_trunc('day', now()) + interval '7 days 8 hours',
                 date_trunc('day', now()) + interval '7 days 8 hours',
                 date_trunc('day', now()) + interval '7 days 11 hours', 200
            FROM data4help.accounts
           WHERE kind = 2
             AND NOT EXISTS (SELECT FROM track4run.publications WHERE code = 'DEMO2026')
           ORDER BY registered_at LIMIT 1
          RETURNING run_id
        ), drawn AS (
          INSERT INTO track4run.paths (run_id, path, length_metres)
          SELECT run_id, postgis.ST_GeogFromText($1), $2::float8 FROM run
        )
        INSERT INTO track4run.publications
          (run_id, code, end_latitude, end_longitude, published_at)
        SELECT run_id, 'DEMO2026', $3::float8, $4::float8, now() FROM run
        """, values)
    }
  }

  /// Along the Naviglio Grande to San Cristoforo and back, nearly five kilometres.
  private static let corners = [
    (45.4503, 9.1700), (45.4489, 9.1643), (45.4474, 9.1580), (45.4457, 9.1502), (45.4436, 9.1412),
    (45.4457, 9.1502), (45.4474, 9.1580), (45.4489, 9.1643), (45.4503, 9.1700),
  ]

  private static func demoPath() throws(StartError) -> RunPath {
    let points: [GeoPoint]
    do throws(GeoPointError) {
      points = try corners.map { (corner) throws(GeoPointError) in
        try GeoPoint(latitude: corner.0, longitude: corner.1)
      }
    } catch { throw StartError("The demo data cannot be created: \(error.description)") }
    do throws(RunPathError) { return try RunPath(points) } catch {
      throw StartError("The demo data cannot be created: \(error.description)")
    }
  }

  private static func using<Value>(
    _ urls: DatabaseURLs, _ work: (AdminSession) throws(AdminSessionError) -> Value
  ) throws(StartError) -> Value {
    let url = try urls.migrationURL(.trackme).revealed
    do throws(AdminSessionError) {
      return try work(try AdminSession(url: url, applicationName: "trackme-lab demo"))
    } catch {
      throw StartError("The demo data cannot be created: \(error.description)")
    }
  }
}
