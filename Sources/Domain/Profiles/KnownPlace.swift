/// A place of the reference data: a present or former municipality, or a country.
package struct KnownPlace: Hashable, Sendable {
  /// The cadastral code, such as `H501`; a country's is Z and three digits.
  package let cadastralCode: String
  /// The ISTAT code, for a present municipality.
  package let istatCode: String?
  /// The name.
  package let name: String
  /// The abbreviation of the province; nil for a country.
  package let province: String?
  /// Whether the place exists today.
  package let isCurrent: Bool

  /// Creates a place from its reference data.
  package init(
    cadastralCode: String, istatCode: String?, name: String, province: String?, isCurrent: Bool
  ) {
    self.cadastralCode = cadastralCode
    self.istatCode = istatCode
    self.name = name
    self.province = province
    self.isCurrent = isCurrent
  }

  /// The present municipality meant by a residence.
  ///
  /// Of several with one name, a province after the name or the exact accents decide. Throws
  /// `unknownMunicipality` for none and `ambiguous` with the candidates.
  package static func residence(
    _ wanted: PlaceName, among found: [KnownPlace]
  ) throws(PlaceError) -> KnownPlace {
    let current = found.filter { place in
      place.isCurrent && place.province != nil
        && (wanted.province == nil || place.province == wanted.province)
    }
    guard let first = current.first else { throw .unknownMunicipality }
    if current.count == 1 { return first }
    let exact = current.filter { $0.name.lowercased() == wanted.text.lowercased() }
    if exact.count == 1 { return exact[0] }
    throw .ambiguous(current.map(\.label).sorted())
  }

  /// The birth place of a person with this fiscal code (R2): of the places with the entered name,
  /// present or former, the one with the code in the fiscal code.
  ///
  /// Throws `unknownPlace` if there is no such name, and `notOfFiscalCode` if none matches the
  /// code. `periods` decides whether the place existed on the day of birth.
  package static func birth(
    among found: [KnownPlace], of code: FiscalCode
  ) throws(PlaceError) -> KnownPlace {
    guard !found.isEmpty else { throw .unknownPlace }
    return try birth(abroad: found, of: code)
  }

  /// The foreign birth country of a person with this fiscal code (R2): of the countries with the
  /// entered ISO 3166-1 code, the one in the fiscal code.
  ///
  /// Throws `notOfFiscalCode` if none matches, and if the fiscal code contains an Italian place.
  package static func birth(
    abroad found: [KnownPlace], of code: FiscalCode
  ) throws(PlaceError) -> KnownPlace {
    guard let place = found.first(where: { $0.cadastralCode == code.birthPlace }) else {
      throw .notOfFiscalCode
    }
    return place
  }

  /// The place meant by a search for groups (R26): present places before former ones, and by exact
  /// accents where several have the same name.
  ///
  /// Throws `unknownMunicipality` for none and `ambiguous` with the candidates.
  package static func searched(
    _ wanted: PlaceName, among found: [KnownPlace]
  ) throws(PlaceError) -> KnownPlace {
    let named = found.filter { place in
      place.province != nil && (wanted.province == nil || place.province == wanted.province)
    }
    if named.contains(where: \.isCurrent) { return try residence(wanted, among: named) }
    guard let first = named.first else { throw .unknownMunicipality }
    guard named.allSatisfy({ $0.cadastralCode == first.cadastralCode }) else {
      throw .ambiguous(Set(named.map(\.label)).sorted())
    }
    return first
  }

  /// The name with distinguishing attributes: `Samone (TN, 022165)`.
  private var label: String {
    let marks = [province, istatCode].compactMap { $0 }
    return marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
  }
}

/// The reason why a text does not identify a place.
package enum PlaceError: DomainError {
  /// No present municipality has this name.
  case unknownMunicipality
  /// No municipality, present or former, and no country has this name.
  case unknownPlace
  /// Several municipalities match: their labels, which are public.
  case ambiguous([String])
  /// The fiscal code contains another place.
  case notOfFiscalCode
  /// The municipality did not exist on the day of birth.
  case notOfThatTime

  /// The error as a sentence.
  package var description: String {
    switch self {
    case .unknownMunicipality:
      "No current Italian municipality has this name or ISTAT code."
    case .unknownPlace: "No Italian municipality and no country has this name or code."
    case .ambiguous(let labels):
      "Several municipalities have this name; give the ISTAT code, or the province in brackets: "
        + labels.joined(separator: "; ") + "."
    case .notOfFiscalCode: "The fiscal code contains another birth place."
    case .notOfThatTime: "This municipality did not exist on the birth date."
    }
  }
}
