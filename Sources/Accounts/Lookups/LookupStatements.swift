import Domain
import Postgres

/// The present municipalities whose name begins with a text in one of its languages; exact matches
/// first.
struct MunicipalitiesByPrefix: Statement {
  struct Row: Sendable {
    let name: String
    let otherName: String?
    let istatCode: String?
    let province: String
    let provinceName: String
    let region: String
  }
  static let sql: SQL<Self> = """
    SELECT place.name, place.other_name, place.istat_code, place.province, province.name,
           region.name
      FROM reference.municipalities AS place
      JOIN reference.provinces AS province ON province.province = place.province
      JOIN reference.regions AS region ON region.region_code = province.region_code
     WHERE place.valid_to IS NULL
       AND (place.search_name ~>=~ \(\.prefix) AND place.search_name ~<~ \(\.end)
            OR place.other_search_name ~>=~ \(\.prefix) AND place.other_search_name ~<~ \(\.end))
       AND coalesce(place.province = \(\.inProvince), true)
     ORDER BY \(\.prefix) NOT IN (place.search_name, coalesce(place.other_search_name, '')),
              place.name, place.province
     LIMIT \(\.limit)
    """
  static let columns = Columns(Row.init)
  let prefix: String
  let inProvince: String?
  let limit: Int
  /// The upper bound of names with this prefix: search names have letters and digits only.
  var end: String { prefix + "{" }
}

/// The provinces that have municipalities today.
struct ProvincesOfToday: Statement {
  struct Row: Sendable {
    let province: String
    let name: String
    let region: String
  }
  static let sql: SQL<Self> = """
    SELECT province.province, province.name, region.name
      FROM reference.provinces AS province
      JOIN reference.regions AS region ON region.region_code = province.region_code
     WHERE EXISTS (
             SELECT FROM reference.municipalities AS place
              WHERE place.province = province.province
                AND place.valid_to IS NULL)
     ORDER BY province.name
    """
  static let columns = Columns(Row.init)
}

struct CountryNames: Statement {
  struct Row: Sendable {
    let code: String
    let name: LocalizedName
  }
  static let sql: SQL<Self> = """
    SELECT iso_code, name_it, name_en FROM reference.country_names ORDER BY iso_code
    """
  static let columns = Columns { (code: String, italian: String, english: String) in
    Row(code: code, name: LocalizedName(italian, english))
  }
}
