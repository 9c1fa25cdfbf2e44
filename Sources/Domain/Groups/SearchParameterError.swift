/// The reason why a text is not a valid search parameter.
package enum SearchParameterError: DomainError {
  /// There is no parameter at all.
  case none
  /// The text is not `name op value`.
  case malformed
  /// No parameter has this name.
  case unknownName
  /// The parameter allows only `=`.
  case needsEquality
  /// The value is not an age.
  case noAge
  /// The value is not a sex.
  case noSex
  /// The value is not a country.
  case noCountry
  /// The value is not an occupation.
  case noOccupation
  /// The value is not a chronic disease of the list.
  case noDisease
  /// The value is not a point and radius.
  case noArea
  /// The radius is too small or too large.
  case wrongRadius
  /// The data type has no mean.
  case notANumber(DataType)
  /// The bound is outside the plausible means of the data type.
  case implausible(DataType)
  /// The bound of a mean is finer than the allowed step.
  case tooFine(DataType, step: Double)
  /// The reference data has no such place.
  case unknownPlace(SearchParameter.PlaceLevel)
  /// Several places in the reference data match: their names, which are public.
  case ambiguousPlace([String])

  /// The error and its remedy, as a sentence.
  package var description: String {
    switch self {
    case .none: "A group request has at least one search parameter, such as age>=25."
    case .malformed:
      "A search parameter is written name op value with =, <, <=, > or >=, such as age>=25."
    case .unknownName:
      "Search by age, sex, nationality, residence.region and the like, occupation, disease, area "
        + "or the mean of a data type, such as heartRate<100."
    case .needsEquality: "Use = here: <, <=, > and >= are only for age and means of data types."
    case .noAge: "An age is a whole number of years from 0 to 130."
    case .noSex: "The sex is F or M."
    case .noCountry: "A country is two capital letters of ISO 3166-1, such as IT."
    case .noOccupation:
      "An occupation is one of \(Occupation.allCases.map(\.rawValue).joined(separator: ", "))."
    case .noDisease: "Name a disease of the list, such as diabetes, or its ICD-10 code."
    case .noArea: "An area is written latitude,longitude,metres, such as 45.4642,9.1900,5000."
    case .wrongRadius: "The radius of an area is 5000 to 500000 metres."
    case .notANumber(let type): "Values of \(type.name) are not numbers and have no mean."
    case .implausible(let type):
      if let range = type.plausibleRange {
        "A mean of \(type.name) lies between \(range.lowerBound) and \(range.upperBound)."
      } else {
        "Values of \(type.name) are not numbers and have no mean."
      }
    case .tooFine(let type, let step):
      "Compare the mean of \(type.name) with a multiple of "
        + (step == step.rounded() ? "\(Int(step))." : "\(step).")
    case .unknownPlace(let level): "No \(level.rawValue) has this name or code."
    case .ambiguousPlace(let labels):
      "Several places have this name; give the ISTAT code, or the province in brackets: "
        + labels.joined(separator: "; ") + "."
    }
  }
}

/// An invalid search parameter of a list.
package struct SearchListError: DomainError {
  /// The index, nil for the list as a whole.
  package let index: Int?
  /// The error of the parameter.
  package let reason: SearchParameterError

  /// The error of the parameter at this index; nil for the whole list.
  package init(index: Int?, reason: SearchParameterError) {
    self.index = index
    self.reason = reason
  }

  /// The error and its remedy, as a sentence.
  package var description: String { reason.description }

  /// The field that the client has to change, such as `searchParams[3]`.
  package var field: String { index.map { "searchParams[\($0)]" } ?? "searchParams" }
}
