/// A place of the reference data: a municipality at some time, or a country.
package struct KnownPlace: Hashable, Sendable {
  /// The cadastral code, as `H501`; a country's is Z and three digits.
  package let cadastralCode: String
  /// Its ISTAT code, if it is a municipality of today.
  package let istatCode: String?
  /// Its name.
  package let name: String
  /// The abbreviation of its province; none of a country.
  package let province: String?
  /// Whether it exists today.
  package let isCurrent: Bool

  /// A place with what the reference data says of it.
  package init(
    cadastralCode: String, istatCode: String?, name: String, province: String?, isCurrent: Bool
  ) {
    self.cadastralCode = cadastralCode
    self.istatCode = istatCode
    self.name = name
    self.province = province
    self.isCurrent = isCurrent
  }

  /// The municipality of today that somebody means who lives there.
  ///
  /// Of several with one name, a province behind the name or the exact accents decide. Throws
  /// `unknownMunicipality` for none and `ambiguous` with what it could be.
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

  /// The place where somebody with this fiscal code was born (R2): one of that name, of any time,
  /// whose code the fiscal code has.
  ///
  /// Throws `unknownPlace` if nothing is called so, and `notOfFiscalCode` for another place than
  /// the code's. Whether it existed on the day of birth is for `periods` to say.
  package static func birth(
    among found: [KnownPlace], of code: FiscalCode
  ) throws(PlaceError) -> KnownPlace {
    guard !found.isEmpty else { throw .unknownPlace }
    return try birth(abroad: found, of: code)
  }

  /// The country where somebody with this fiscal code was born abroad (R2): of those that a code of
  /// ISO 3166-1 stands for, the one that the fiscal code has.
  ///
  /// Throws `notOfFiscalCode` for another one, and where the fiscal code names an Italian place.
  package static func birth(
    abroad found: [KnownPlace], of code: FiscalCode
  ) throws(PlaceError) -> KnownPlace {
    guard let place = found.first(where: { $0.cadastralCode == code.birthPlace }) else {
      throw .notOfFiscalCode
    }
    return place
  }

  /// The place that a search for groups means (R26): of today before one that is no more, by the
  /// exact accents where several are called alike.
  ///
  /// Throws `unknownMunicipality` for none and `ambiguous` with what it could be.
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

  /// The name with what tells it from others: `Samone (TN, 022165)`.
  private var label: String {
    let marks = [province, istatCode].compactMap { $0 }
    return marks.isEmpty ? name : "\(name) (\(marks.joined(separator: ", ")))"
  }
}

/// Why a text names no place.
package enum PlaceError: DomainError {
  /// No municipality of today is called so.
  case unknownMunicipality
  /// No municipality of any time and no country is called so.
  case unknownPlace
  /// Several municipalities are: their labels, which are public.
  case ambiguous([String])
  /// The fiscal code names another place.
  case notOfFiscalCode
  /// It was no municipality on the day of birth.
  case notOfThatTime

  /// What is wrong, as a sentence.
  package var description: String {
    switch self {
    case .unknownMunicipality:
      "No Italian municipality of today has this name or ISTAT code."
    case .unknownPlace: "No Italian municipality and no country has this name or code."
    case .ambiguous(let labels):
      "Several municipalities have this name; give the ISTAT code, or the province in brackets: "
        + labels.joined(separator: "; ") + "."
    case .notOfFiscalCode: "The fiscal code names another birth place."
    case .notOfThatTime: "This municipality did not exist on the birth date."
    }
  }
}
