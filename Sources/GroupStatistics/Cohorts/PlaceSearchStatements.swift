import Domain
import Postgres

// The reference data in full: a few thousand rows, and their number does not grow. A municipality
// belongs to the region and country of its newest row, as in profiles.

struct ProvincesByCode: Statement {
  struct Row: Sendable {
    let province: String
    let name: String
  }
  static let sql: SQL<Self> = """
    SELECT province, name FROM reference.provinces
    """
  static let columns = Columns(Row.init)
}

struct PlacesOfProvinces: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT cadastral_code
      FROM (SELECT DISTINCT ON (cadastral_code) cadastral_code, province
              FROM reference.municipalities
             ORDER BY cadastral_code, valid_from DESC) AS newest
     WHERE province = ANY (\(\.provinces))
    """
  let provinces: [String]
}

/// The municipalities in a region; former Italian ones abroad are in none.
struct PlacesOfRegions: Statement {
  struct Row: Sendable {
    let place: String
    let region: Int16
  }
  static let sql: SQL<Self> = """
    SELECT cadastral_code, region.region_code
      FROM (SELECT DISTINCT ON (cadastral_code) cadastral_code, province
              FROM reference.municipalities
             ORDER BY cadastral_code, valid_from DESC) AS newest
      JOIN reference.provinces USING (province)
      JOIN reference.regions AS region ON region.region_code = provinces.region_code
    """
  static let columns = Columns(Row.init)
}

/// The municipalities of Italy, or the code of another country.
struct PlacesOfCountry: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT cadastral_code
      FROM reference.countries
     WHERE iso_code = \(\.code)
     UNION
    SELECT cadastral_code
      FROM reference.municipalities
      JOIN reference.provinces USING (province)
     WHERE \(\.code) = 'IT'
       AND region_code IS NOT NULL
    """
  let code: String
}
