import EventLoop
import Postgres

/// A page of the published runs, the newest start first, after a run of the page before.
struct PublishedRuns: Statement {
  typealias Row = ListedRun
  static let sql: SQL<Self> = """
    SELECT run_id, code, name, starts_at, ends_at, end_latitude, end_longitude,
           participants_max, enrolled, organiser_name
      FROM track4run.runs
      JOIN track4run.publications USING (run_id)
     WHERE cancelled_at IS NULL
       AND (\(\.code) IS NULL OR code = \(\.code))
       AND (\(\.namePattern) IS NULL OR name ILIKE \(\.namePattern))
       AND (\(\.startsAfter) IS NULL OR starts_at > \(\.startsAfter))
       AND (\(\.startsUntil) IS NULL OR starts_at <= \(\.startsUntil))
       AND (\(\.endsAfter) IS NULL OR ends_at > \(\.endsAfter))
       AND (\(\.endsUntil) IS NULL OR ends_at <= \(\.endsUntil))
       AND (\(\.latitude) IS NULL OR 2 * 6371008.8 * asin(least(1, sqrt(
             sin(radians(end_latitude - \(\.latitude)) / 2) ^ 2
             + cos(radians(\(\.latitude))) * cos(radians(end_latitude))
             * sin(radians(end_longitude - \(\.longitude)) / 2) ^ 2))) <= \(\.radius))
       AND (\(\.beforeStart) IS NULL
            OR (starts_at, -run_id) < (\(\.beforeStart), -\(\.beforeRun)))
     ORDER BY starts_at DESC, run_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(ListedRun.init)

  var code: String?
  var namePattern: String?
  var startsAfter: WallTime?
  var startsUntil: WallTime?
  var endsAfter: WallTime?
  var endsUntil: WallTime?
  var latitude: Double?
  var longitude: Double?
  var radius: Double?
  var beforeStart: WallTime?
  var beforeRun: Int64 = 0
  var limit: Int32
}
