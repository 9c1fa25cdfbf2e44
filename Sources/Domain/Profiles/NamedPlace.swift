/// A place as entered for a residence or a birth (ACC-3).
package enum NamedPlace: Hashable, Sendable {
  /// The name or code of a place of the reference data.
  case known(PlaceName)
  /// A place outside the reference data, with its country.
  case abroad(CountryCode, ProfileLine)

  /// Creates a place from its country; a place in Italy must be in the reference data.
  ///
  /// Throws the errors of names: `empty`, `tooLong`, `controlCharacter`.
  package init(country: CountryCode, place: ProfileLine) throws(NameError) {
    self = country == .italy ? .known(try PlaceName(place.text)) : .abroad(country, place)
  }
}
