/// One condition on the people of a group request (R26): `name op value`, such as `age>=25`.
///
/// All conditions of a request must hold. Contradictory ones are not an error: they match no one.
package enum SearchParameter: Hashable, Sendable {
  /// Which of a person's places a condition refers to.
  package enum PlaceKind: String, Hashable, Sendable, CaseIterable {
    case residence, birth
  }

  /// The administrative level of a place.
  package enum PlaceLevel: String, Hashable, Sendable, CaseIterable {
    case municipality, province, region, country
  }

  /// The age in whole years.
  case age(SearchComparison, years: Int)
  /// The sex of the profile, `F` or `M`.
  case sex(String)
  /// The nationality, ISO 3166-1 alpha-2.
  case nationality(String)
  /// A place by its name or code; a country by its code of ISO 3166-1 alpha-2.
  case place(PlaceKind, PlaceLevel, name: String)
  /// The occupation.
  case occupation(Occupation)
  /// A chronic disease of the list.
  case disease(ChronicDisease)
  /// The last known position lies in a circle; radius in metres.
  case area(GeoPoint, radius: Double)
  /// The person's mean of a data type over the period, in the type's unit.
  case mean(DataType, SearchComparison, Double)

  /// The largest number of parameters of one request (the API contract).
  package static let countMax = 50
  /// The largest number of characters of one parameter (the API contract's strings).
  package static let lengthMax = 500
  /// The valid ages.
  package static let ages = 0...130
  /// The radius of an area in metres: at least 5 km, so that a search cannot single out a home.
  package static let radii = 5_000.0...500_000.0

  /// The step of the bounds for means of a type: a fiftieth of the plausible range, rounded up to
  /// 1, 2 or 5 times a power of ten (5 /min, 10 mm[Hg], 10 kg, 0.5 Cel).
  ///
  /// Otherwise an attacker who knows that a group is one person short of the threshold could
  /// determine that person's own mean by bisection.
  package static func steps(within range: ClosedRange<Double>) -> ReleaseRounding {
    ReleaseRounding(atLeast: (range.upperBound - range.lowerBound) / 50)
  }

  /// Parses `name op value`; spaces around the three parts are allowed.
  ///
  /// Throws `malformed`, `unknownName`, `needsEquality` and an error of the value.
  package init(_ text: String) throws(SearchParameterError) {
    guard text.utf8.count <= 4 * Self.lengthMax,
      let parts = SearchText(text), !parts.name.isEmpty, !parts.value.isEmpty
    else { throw .malformed }
    switch parts.name {
    case "age":
      guard let years = Int(parts.value), Self.ages.contains(years) else { throw .noAge }
      self = .age(parts.comparison, years: years)
    case "sex":
      try parts.requireEquality()
      guard parts.value == "F" || parts.value == "M" else { throw .noSex }
      self = .sex(parts.value)
    case "nationality":
      try parts.requireEquality()
      self = .nationality(try Self.country(parts.value))
    case "occupation":
      try parts.requireEquality()
      guard let occupation = Occupation(rawValue: parts.value) else { throw .noOccupation }
      self = .occupation(occupation)
    case "disease":
      try parts.requireEquality()
      guard let disease = ChronicDisease(code: parts.value) else { throw .noDisease }
      self = .disease(disease)
    case "area":
      try parts.requireEquality()
      self = try Self.area(parts.value)
    default: self = try Self.other(parts)
    }
  }

  /// Parses the parameters of a request; the list must not be empty.
  ///
  /// Throws the index and the error of the first invalid one.
  package static func list(_ texts: [String]) throws(SearchListError) -> [SearchParameter] {
    guard !texts.isEmpty else { throw SearchListError(index: nil, reason: .none) }
    var list: [SearchParameter] = []
    for (index, text) in texts.enumerated() {
      do throws(SearchParameterError) {
        list.append(try SearchParameter(text))
      } catch {
        throw SearchListError(index: index, reason: error)
      }
    }
    return list
  }

  private static func country(_ text: String) throws(SearchParameterError) -> String {
    guard let code = CountryCode(text), code.text == text else { throw .noCountry }
    return text
  }

  private static func area(_ text: String) throws(SearchParameterError) -> SearchParameter {
    let pieces = text.split(separator: ",", omittingEmptySubsequences: false)
    guard pieces.count == 3, let radius = Double(decimal: pieces[2].utf8Span.span)
    else { throw .noArea }
    guard radii.contains(radius) else { throw .wrongRadius }
    do throws(GeoPointError) {
      return .area(try GeoPoint("\(pieces[0]),\(pieces[1])"), radius: radius)
    } catch {
      throw .noArea
    }
  }

  /// Parses a place, such as `residence.region`, or the mean of a data type.
  private static func other(_ parts: SearchText) throws(SearchParameterError) -> SearchParameter {
    let words = parts.name.split(separator: ".", omittingEmptySubsequences: false)
    if words.count == 2, let place = PlaceKind(rawValue: String(words[0])),
      let level = PlaceLevel(rawValue: String(words[1]))
    {
      try parts.requireEquality()
      let name = level == .country ? try country(parts.value) : parts.value
      return .place(place, level, name: name)
    }
    guard let type = DataType(name: parts.name) else { throw .unknownName }
    guard let range = type.plausibleRange else { throw .notANumber(type) }
    guard let bound = Double(decimal: parts.value.utf8Span.span), range.contains(bound)
    else { throw .implausible(type) }
    let steps = steps(within: range)
    guard abs(steps.round(bound) - bound) < steps.step * 1e-9 else {
      throw .tooFine(type, step: steps.step)
    }
    return .mean(type, parts.comparison, steps.round(bound))
  }
}

/// The three parts of a parameter's text.
private struct SearchText {
  let name: String
  let comparison: SearchComparison
  let value: String

  /// Splits at the first comparison sign; nil if there is none.
  init?(_ text: String) {
    let utf8 = Array(text.utf8)
    let signs: [UInt8] = [ascii("<"), ascii("="), ascii(">")]
    guard let start = utf8.firstIndex(where: { signs.contains($0) }) else { return nil }
    var end = start + 1
    while end < utf8.count, signs.contains(utf8[end]) { end += 1 }
    let sign = String(decoding: utf8[start..<end], as: UTF8.self)
    guard let comparison = SearchComparison(rawValue: sign) else { return nil }
    self.comparison = comparison
    name = Self.trimmed(utf8[..<start])
    value = Self.trimmed(utf8[end...])
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    var rest = bytes.drop { $0 == ascii(" ") }
    while rest.last == ascii(" ") { rest = rest.dropLast() }
    return String(decoding: rest, as: UTF8.self)
  }

  /// - Throws: `needsEquality` for anything but `=`.
  func requireEquality() throws(SearchParameterError) {
    guard comparison == .equal else { throw .needsEquality }
  }
}
