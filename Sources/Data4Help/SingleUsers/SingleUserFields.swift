import Domain
import HTTP
import JSON
import PublicAPI

/// The fields of a single user's profile that registration and settings share (ACC-3).
struct SingleUserFields: Sendable {
  var phone = Change<PhoneNumber>.keep
  var address = Change<ProfileLine>.keep
  var residence = Change<NamedPlace>.keep
  var birthPlace = Change<NamedPlace>.keep
  var nationality = Change<CountryCode>.keep
  var occupation = Change<Occupation>.keep
  var height = Change<Double>.keep
  var weight = Change<Double>.keep
  var diseases = Change<[DiseaseEntry]>.keep
  var locale = LocaleFields()

  /// Reads the value of a field; false if it belongs to another type.
  mutating func read(
    _ key: JSONKey, from reader: inout JSONReader
  ) throws(JSONError) -> Bool {
    switch key {
    case "phone":
      phone = try reader.change { (reader) throws(JSONError) in
        try reader.parsed { (text) throws(PhoneNumberError) in try PhoneNumber(text) }
      }
    case "address":
      address = try reader.change { (reader) throws(JSONError) in
        try reader.parsed { (text) throws(ProfileLineError) in try ProfileLine(text) }
      }
    case "residence": residence = try Self.place(&reader)
    case "birth_place": birthPlace = try Self.place(&reader)
    case "nationality":
      nationality = try reader.change { (reader) throws(JSONError) in
        guard let code = CountryCode(try reader.string()) else {
          throw reader.refusal("A nationality is an ISO 3166-1 code of two letters, as IT.")
        }
        return code
      }
    case "occupation":
      occupation = try reader.change { (reader) throws(JSONError) in
        try reader.enumCase(Occupation.self)
      }
    case "height": height = try Self.measure(.height, "metres", &reader)
    case "weight": weight = try Self.measure(.weight, "kilograms", &reader)
    case "diseases":
      diseases = try reader.change { (reader) throws(JSONError) in
        try DiseaseEntry.list(&reader)
      }
    default: return try locale.read(key, from: &reader)
    }
    return true
  }

  private static func place(_ reader: inout JSONReader) throws(JSONError) -> Change<NamedPlace> {
    try reader.change { (reader) throws(JSONError) in
      if try reader.kind() == .object { return try placeWithCountry(&reader) }
      return .known(try reader.parsed { (text) throws(NameError) in try PlaceName(text) })
    }
  }

  private static func placeWithCountry(
    _ reader: inout JSONReader
  ) throws(JSONError) -> NamedPlace {
    var country: CountryCode?
    var place: ProfileLine?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "country":
        guard let code = CountryCode(try reader.string()) else {
          throw reader.refusal("A country is an ISO 3166-1 code of two letters, as DE.")
        }
        country = code
      case "place":
        place = try reader.parsed { (text) throws(ProfileLineError) in try ProfileLine(text) }
      default: break
      }
    }
    let named = (
      country: try reader.mandatory("country", country),
      place: try reader.mandatory("place", place)
    )
    do throws(NameError) {
      return try NamedPlace(country: named.country, place: named.place)
    } catch {
      throw reader.refusal(error.description)
    }
  }

  /// Reads a measure within the plausible range of its data type.
  private static func measure(
    _ type: DataType, _ unit: String, _ reader: inout JSONReader
  ) throws(JSONError) -> Change<Double> {
    let bounds = type.plausibleRange ?? 0...0
    return try reader.change { (reader) throws(JSONError) in
      try reader.number(
        bounds, "Give \(bounds.lowerBound) to \(bounds.upperBound) \(unit).")
    }
  }

  /// Sets the fields that need no look-up in a profile.
  func apply(to profile: inout SingleUserProfile) {
    profile.phone = phone.applied(to: profile.phone) { $0.text }
    profile.address = address.applied(to: profile.address) { $0.text }
    profile.nationality = nationality.applied(to: profile.nationality) { $0.text }
    profile.occupation = occupation.applied(to: profile.occupation) { $0.rawValue }
    profile.height = height.applied(to: profile.height) { $0 }
    profile.weight = weight.applied(to: profile.weight) { $0 }
    profile.diseases = diseases.applied(to: profile.diseases) { $0 } ?? []
  }
}
