import Accounts
import Domain
import Postgres
import ServiceKit

/// The cadastral codes of the places that the conditions of a search allow; nil if no condition
/// concerns them.
struct SearchedPlaces: Sendable {
  private(set) var residence: Set<String>?
  private(set) var birth: Set<String>?

  fileprivate mutating func allow(_ codes: Set<String>, of place: SearchParameter.PlaceKind) {
    switch place {
    case .residence: residence = residence?.intersection(codes) ?? codes
    case .birth: birth = birth?.intersection(codes) ?? codes
    }
  }
}

/// Looks up the places of a search in the reference data (R26).
struct PlaceSearch: Sendable {
  let database: Database

  /// The places of all parameters.
  ///
  /// - Throws: `invalid` with the parameter's index for a place that is unknown or ambiguous;
  ///   `unavailable`.
  func find(_ search: [SearchParameter]) async throws(ApplicationError) -> SearchedPlaces {
    var places = SearchedPlaces()
    for (index, parameter) in search.enumerated() {
      guard case .place(let place, let level, let name) = parameter else { continue }
      let codes = try await codes(place, level, name, index)
      guard !codes.isEmpty else { throw Self.refusal(.unknownPlace(level), index) }
      places.allow(codes, of: place)
    }
    return places
  }

  private static func refusal(_ reason: SearchParameterError, _ index: Int) -> ApplicationError {
    let error = SearchListError(index: index, reason: reason)
    return .invalid(error, field: error.field)
  }

  private func codes(
    _ place: SearchParameter.PlaceKind, _ level: SearchParameter.PlaceLevel, _ text: String,
    _ index: Int
  ) async throws(ApplicationError) -> Set<String> {
    guard level != .country else {
      // A profile stores a residence abroad as this country code.
      if place == .residence, text != CountryCode.italy.text { return [text] }
      return Set(try await database.rows(PlacesOfCountry(code: text)))
    }
    let name: PlaceName
    do throws(NameError) { name = try PlaceName(text) } catch {
      throw Self.refusal(.unknownPlace(level), index)
    }
    switch level {
    case .country: return []
    case .municipality: return [try await municipality(name, index)]
    case .province:
      let provinces = try await database.rows(ProvincesByCode()).filter {
        $0.province == text || PlaceName.searchText(of: $0.name) == name.searchText
      }
      return Set(
        try await database.rows(PlacesOfProvinces(provinces: provinces.map(\.province))))
    case .region:
      let regions = try await database.rows(RegionsByCode()).filter {
        $0.region == Int16(text) || PlaceName.searchText(of: $0.name) == name.searchText
      }
      return Set(
        try await database.rows(PlacesOfRegions()).filter { place in
          regions.contains { $0.region == place.region }
        }.map(\.place))
    }
  }

  private func municipality(_ name: PlaceName, _ index: Int) async throws(ApplicationError)
    -> String
  {
    let found = try await database.rows(MunicipalitiesByName(name))
    do throws(PlaceError) {
      return try KnownPlace.searched(name, among: found).cadastralCode
    } catch {
      if case .ambiguous(let labels) = error {
        throw Self.refusal(.ambiguousPlace(labels), index)
      }
      throw Self.refusal(.unknownPlace(.municipality), index)
    }
  }

  /// The regions of the country with their places, for a breakdown.
  ///
  /// - Throws: `unavailable`.
  func regions() async throws(ApplicationError) -> RegionsOfPlaces {
    let regions = try await database.rows(RegionsByCode())
    let places = try await database.rows(PlacesOfRegions())
    return RegionsOfPlaces(regions, places)
  }
}

/// The region's number for every place, counted from 1.
struct RegionsOfPlaces: Sendable {
  private(set) var names: [String] = []
  private(set) var places: [String] = []
  private(set) var parts: [Int16] = []

  /// No regions: for answers without a breakdown by region.
  init() {}

  init(_ regions: [RegionsByCode.Row], _ known: [PlacesOfRegions.Row]) {
    names = regions.map(\.name)
    var numbers: [Int16: Int16] = [:]
    for (index, region) in regions.enumerated() { numbers[region.region] = Int16(index + 1) }
    for place in known {
      guard let number = numbers[place.region] else { continue }
      places.append(place.place)
      parts.append(number)
    }
  }
}
