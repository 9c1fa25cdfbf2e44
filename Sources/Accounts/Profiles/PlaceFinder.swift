import Domain
import Postgres
import PublicAPI
import ServiceKit

/// Looks up the places of profiles in the reference data.
struct PlaceFinder: Sendable {
  let database: Database

  /// Sets the places that a call names in a profile.
  ///
  /// - Throws: `invalid` for a residence that is not a present municipality or is ambiguous (with
  ///   the candidates), and for a birth place that contradicts the fiscal code (R2); `unavailable`.
  func place(
    _ fields: SingleUserFields, in profile: inout SingleUserProfile, born birthDate: BirthDate,
    _ code: FiscalCode
  ) async throws(ApplicationError) {
    switch fields.residence {
    case .keep: break
    case .clear: (profile.residence, profile.residenceAbroad) = (nil, nil)
    case .set(.known(let name)):
      (profile.residence, profile.residenceAbroad) = (try await residence(name), nil)
    case .set(.abroad(let country, let place)):
      (profile.residence, profile.residenceAbroad) = (country.text, place.text)
    }
    switch fields.birthPlace {
    case .keep: break
    case .clear: (profile.birthPlace, profile.birthAbroad) = (nil, nil)
    case .set(.known(let name)):
      let place = try await birthPlace(name, birthDate, code)
      (profile.birthPlace, profile.birthAbroad) = (place, nil)
    case .set(.abroad(let country, let place)):
      let found = try await birthCountry(country, code)
      (profile.birthPlace, profile.birthAbroad) = (found, place.text)
    }
  }

  /// The cadastral code of a country, which must match the fiscal code.
  private func birthCountry(
    _ country: CountryCode, _ code: FiscalCode
  ) async throws(ApplicationError) -> String {
    let found = try await database.rows(CountriesByName(country))
    return try checked("birth_place.country") { () throws(PlaceError) in
      try KnownPlace.birth(abroad: found, of: code).cadastralCode
    }
  }

  private func residence(_ name: PlaceName) async throws(ApplicationError) -> String {
    let found = try await database.rows(MunicipalitiesByName(name))
    return try checked("residence") { () throws(PlaceError) in
      try KnownPlace.residence(name, among: found).cadastralCode
    }
  }

  private func birthPlace(
    _ name: PlaceName, _ birthDate: BirthDate, _ code: FiscalCode
  ) async throws(ApplicationError) -> String {
    let municipalities = try await database.rows(MunicipalitiesByName(name))
    let countries = try await database.rows(CountriesByName(name))
    let place = try checked("birth_place") { () throws(PlaceError) in
      try KnownPlace.birth(among: municipalities + countries, of: code)
    }
    if place.province != nil {
      let existed = try await database.row(
        MunicipalityExisted(code: place.cadastralCode, day: birthDate.date))
      guard existed != nil else { throw .invalid(PlaceError.notOfThatTime, field: "birth_place") }
    }
    return place.cadastralCode
  }

  /// The reference data of the places with these cadastral codes.
  func details(of codes: [String]) async throws(ApplicationError) -> [String: PlaceDetails] {
    guard !codes.isEmpty else { return [:] }
    var details: [String: PlaceDetails] = [:]
    for row in try await database.rows(MunicipalityDetails(codes: codes)) {
      details[row.code] = row.details
    }
    for row in try await database.rows(CountryDetails(codes: codes)) {
      details[row.code] = row.details
    }
    return details
  }
}

/// A place for display in a profile.
struct PlaceDetails: Sendable {
  let name: String
  let istatCode: String?
  let province: String?
  let region: String?
  /// Its ISO code; nil for a former country.
  let country: String?
}

extension PlaceDetails {
  /// A place of a profile: by its code among the known ones, or in the person's words for a place
  /// abroad.
  init?(_ code: String?, abroad: String?, among known: [String: PlaceDetails]) {
    guard let code else { return nil }
    switch (known[code], abroad) {
    case (let place?, nil): self = place
    case (let country, let name?):
      self.init(
        name: name, istatCode: nil, province: nil, region: nil,
        country: country.map(\.country) ?? code)
    case (nil, nil): return nil
    }
  }
}
