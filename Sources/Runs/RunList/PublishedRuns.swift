import Postgres
import Time

/// A page of the published runs, the latest start first, after the last run of the previous page.
/// Runs near a point are found by the index on paths.
struct PublishedRuns: RunList {
  typealias Row = ListedRun
  static let sql: SQL<Self> = """
    SELECT run_id, code, name, place, starts_at, ends_at, end_latitude, end_longitude,
           participants_max, enrolled, organiser_name,
           EXISTS (SELECT FROM track4run.pictures AS picture WHERE picture.run_id = runs.run_id)
      FROM track4run.runs
      JOIN track4run.publications USING (run_id)
     WHERE cancelled_at IS NULL
       AND (\(\.code) IS NULL OR code = \(\.code))
       AND (\(\.namePattern) IS NULL OR name ILIKE \(\.namePattern))
       AND (\(\.placePattern) IS NULL OR place ILIKE \(\.placePattern))
       AND (\(\.startsAfter) IS NULL OR starts_at > \(\.startsAfter))
       AND (\(\.startsUntil) IS NULL OR starts_at <= \(\.startsUntil))
       AND (\(\.endsAfter) IS NULL OR ends_at > \(\.endsAfter))
       AND (\(\.endsUntil) IS NULL OR ends_at <= \(\.endsUntil))
       AND (\(\.latitude) IS NULL
            OR run_id IN (
               SELECT near.run_id
                 FROM track4run.paths AS near
                WHERE postgis.ST_DWithin(
                      near.path,
                      postgis.ST_SetSRID(
                        postgis.ST_MakePoint(\(\.longitude), \(\.latitude)),
                        4326)::postgis.geography,
                      \(\.radius))))
       AND (\(\.beforeStart) IS NULL
            OR (starts_at, -run_id) < (\(\.beforeStart), -\(\.beforeRun)))
     ORDER BY starts_at DESC, run_id
     LIMIT \(\.limit)
    """
  static let columns = Columns(ListedRun.init)

  var code: String?
  var namePattern: String?
  var placePattern: String?
  var startsAfter: Instant?
  var startsUntil: Instant?
  var endsAfter: Instant?
  var endsUntil: Instant?
  var latitude: Double?
  var longitude: Double?
  var radius: Double?
  var beforeStart: Instant?
  var beforeRun: Int64 = 0
  var limit: Int32 = 0
}
