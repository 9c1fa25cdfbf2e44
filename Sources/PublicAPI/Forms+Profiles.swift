import Domain
import JSON

// The forms of values of profiles.

extension JSONForm<CalendarDate> {
  /// A calendar date.
  static var date: Self {
    .parsed(.date) { (text) throws(CalendarDateError) in try CalendarDate(text) }
  }
}

extension JSONForm<CompanyName> {
  /// The name of a company.
  static var companyName: Self {
    .parsed(.string(lengthMax: 200)) { (text) throws(CompanyNameError) in try CompanyName(text) }
  }
}

extension JSONForm<CompanyDescription> {
  /// The description of a company.
  static var companyDescription: Self {
    .parsed(.string()) { (text) throws(CompanyDescriptionError) in try CompanyDescription(text) }
  }
}

extension JSONForm<ProfileLine> {
  /// One line, such as an address.
  static var profileLine: Self {
    .parsed(.string(lengthMax: 200)) { (text) throws(ProfileLineError) in try ProfileLine(text) }
  }
}

extension JSONForm<CountryCode> {
  /// The country of a place abroad.
  static var country: Self {
    .countryCode(lengthMin: 2, "A country is an ISO 3166-1 code of two letters, such as DE.")
  }

  fileprivate static func countryCode(lengthMin: Int?, _ sentence: String) -> Self {
    Self(.string(lengthMin: lengthMin, lengthMax: 2)) { (reader) throws(JSONError) in
      guard let code = CountryCode(try reader.string()) else { throw reader.refusal(sentence) }
      return code
    }
  }
}

extension JSONForm<Change<CountryCode>> {
  /// A changed nationality.
  static var changedNationality: Self {
    JSONForm<CountryCode>.countryCode(
      lengthMin: nil, "A nationality is an ISO 3166-1 code of two letters, such as IT."
    ).changed
  }
}

extension JSONForm<Change<Double>> {
  /// A changed measure within the plausible range of its data type.
  static func changedMeasure(_ type: DataType, _ unit: String) -> Self {
    let bounds = type.plausibleRange ?? 0...0
    return JSONForm<Double>(.number(bounds)) { (reader) throws(JSONError) in
      let number = try reader.double()
      guard bounds.contains(number) else {
        throw reader.refusal("Give \(bounds.lowerBound) to \(bounds.upperBound) \(unit).")
      }
      return number
    }.changed
  }
}
