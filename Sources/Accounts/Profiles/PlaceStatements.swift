import Domain
import Postgres

// The reference data, read by whole keys: a few rows, each by an index.

/// The municipalities with a name, or with the ISTAT code in its place.
package struct MunicipalitiesByName: Statement {
  /// A municipality of this name.
  package typealias Row = KnownPlace
  package static let sql: SQL<Self> = """
    SELECT cadastral_code, istat_code, name, province, valid_to IS NULL AS is_current
      FROM reference.municipalities
     WHERE search_name = \(\.searchName)
        OR other_search_name = \(\.searchName)
        OR istat_code = \(\.istatCode)
    """
  package static let columns = Columns {
    (code: String, istatCode: String?, name: String, province: String, isCurrent: Bool) in
    KnownPlace(
      cadastralCode: code, istatCode: istatCode, name: name, province: province,
      isCurrent: isCurrent)
  }
  let searchName: String
  let istatCode: String?

  /// Searches the name without regard to case and accents.
  package init(_ name: PlaceName) {
    searchName = name.searchText
    istatCode = name.istatCode
  }
}

/// By name, or by ISO code.
struct CountriesByName: Statement {
  typealias Row = KnownPlace
  static let sql: SQL<Self> = """
    SELECT cadastral_code, name, gone_from IS NULL AS is_current
      FROM reference.countries
     WHERE search_name = \(\.searchName)
        OR iso_code = \(\.isoCode)
    """
  static let columns = Columns { (code: String, name: String, isCurrent: Bool) in
    KnownPlace(
      cadastralCode: code, istatCode: nil, name: name, province: nil, isCurrent: isCurrent)
  }
  let searchName: String
  let isoCode: String?

  init(_ name: PlaceName) {
    searchName = name.searchText
    isoCode = CountryCode(name.text)?.text
  }

  /// By ISO code alone.
  init(_ country: CountryCode) {
    searchName = ""
    isoCode = country.text
  }
}

/// Returns the code if it was a municipality's on that day.
struct MunicipalityExisted: Statement {
  typealias Row = String
  static let sql: SQL<Self> = """
    SELECT cadastral_code
      FROM reference.municipalities
     WHERE cadastral_code = \(\.code)
       AND valid_from <= \(\.day)
       AND (valid_to IS NULL OR valid_to >= \(\.day))
     LIMIT 1
    """
  let code: String
  let day: CalendarDate
}

/// The newest row of each code.
struct MunicipalityDetails: Statement {
  struct Row: Sendable {
    let code: String
    let details: PlaceDetails
  }
  static let sql: SQL<Self> = """
    SELECT DISTINCT ON (place.cadastral_code)
           place.cadastral_code, place.name, place.istat_code, place.province, region.name
      FROM reference.municipalities AS place
      JOIN reference.provinces AS province ON province.province = place.province
      LEFT JOIN reference.regions AS region ON region.region_code = province.region_code
     WHERE place.cadastral_code = ANY (\(\.codes))
     ORDER BY place.cadastral_code, place.valid_from DESC
    """
  static let columns = Columns {
    (code: String, name: String, istatCode: String?, province: String, region: String?) in
    // Former Italian municipalities (Pola, Fiume, Zara) have no region.
    Row(
      code: code,
      details: PlaceDetails(
        name: name, istatCode: istatCode, province: province, region: region,
        country: region == nil ? nil : "IT"))
  }
  let codes: [String]
}

struct CountryDetails: Statement {
  struct Row: Sendable {
    let code: String
    let details: PlaceDetails
  }
  static let sql: SQL<Self> = """
    SELECT cadastral_code, name, iso_code
      FROM reference.countries
     WHERE cadastral_code = ANY (\(\.codes))
    """
  static let columns = Columns { (code: String, name: String, country: String?) in
    Row(
      code: code,
      details: PlaceDetails(
        name: name, istatCode: nil, province: nil, region: nil, country: country))
  }
  let codes: [String]
}

/// The regions of Italy, with their names.
package struct RegionsByCode: Statement {
  /// Reads all regions.
  package init() {}

  /// A region.
  package struct Row: Sendable {
    /// Its ISTAT code, and its name.
    package let region: Int16
    package let name: String
  }
  package static let sql: SQL<Self> = """
    SELECT region_code, name FROM reference.regions ORDER BY region_code
    """
  package static let columns = Columns(Row.init)
}
