import AutomatedSOS
import Domain
import Operations
import Postgres

/// The current municipality whose centre is nearest to a position, at most about 50 km from it.
/// Scans all of them, which takes a few milliseconds.
struct NearestMunicipality: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT name
      FROM reference.municipalities
     WHERE valid_to IS NULL
       AND abs(latitude - \(\.latitude)) < 0.5
       AND abs(longitude - \(\.longitude)) * cosd(\(\.latitude)) < 0.5
     ORDER BY (latitude - \(\.latitude)) ^ 2
              + ((longitude - \(\.longitude)) * cosd(\(\.latitude))) ^ 2
     LIMIT 1
    """
  let latitude: Double
  let longitude: Double

  init(to point: GeoPoint) {
    latitude = point.latitude
    longitude = point.longitude
  }
}
