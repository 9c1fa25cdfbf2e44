/// A place as somebody gives it for a residence or a birth (ACC-3).
package enum NamedPlace: Hashable, Sendable {
  /// The name or code of a place of the reference data.
  case known(PlaceName)
  /// A place that the reference data does not have, and its country.
  case abroad(CountryCode, ProfileLine)

  /// A place with its country: one in Italy is of the reference data.
  ///
  /// Throws the errors of names: `empty`, `tooLong`, `controlCharacter`.
  package init(country: CountryCode, place: ProfileLine) throws(NameError) {
    self = country == .italy ? .known(try PlaceName(place.text)) : .abroad(country, place)
  }
}
