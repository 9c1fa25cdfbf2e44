import Domain
import JSON

extension Endpoint {
  /// Suggestions for form fields during typing (ACC-3, REQ-3).
  static let lookups: [Endpoint] = [
    .lookUpMunicipalities, .lookUpProvinces, .lookUpRegions, .lookUpCountries, .lookUpDiseases,
    .lookUpDataTypes, .lookUpCompanies,
  ]

  /// Finds municipalities by the beginning of their name.
  package static let lookUpMunicipalities = Endpoint.get(
    "/lookup/municipalities", "lookUpMunicipalities", at: .data4help, for: .anyone,
    "The current municipalities whose name begins with the query, ignoring case, accents "
      + "and punctuation. For a residence use `istat`, or the name with the province in "
      + "brackets.",
    query: [.required("query", .text, "The beginning of the name, such as `mil` or `Samone (TN)`.")]
      + QueryParameter.lookupPaging,
    answers: [
      .lookup(
        "municipalities",
        of: [
          .required("name", .text),
          .optional("otherName", .text, "The name in the other official language."),
          .optional("istat", .text, "The ISTAT code; missing for the newest municipalities."),
          .required("province", .text, "As `MI`."), .required("provinceName", .text),
          .required("region", .text),
        ])
    ]
  ).keptForMoments()

  /// Italy's provinces.
  package static let lookUpProvinces = Endpoint.get(
    "/lookup/provinces", "lookUpProvinces", at: .data4help, for: .anyone,
    "The provinces of Italy.",
    answers: [
      .lookup(
        "provinces",
        of: [
          .required("province", .text, "As `MI`."), .required("name", .text),
          .required("region", .text),
        ])
    ]
  ).keptForMoments()

  /// Italy's regions.
  package static let lookUpRegions = Endpoint.get(
    "/lookup/regions", "lookUpRegions", at: .data4help, for: .anyone, "The regions of Italy.",
    answers: [
      .lookup(
        "regions",
        of: [.required("code", .count, "The ISTAT code."), .required("name", .text)])
    ]
  ).keptForMoments()

  /// The countries of the world.
  package static let lookUpCountries = Endpoint.get(
    "/lookup/countries", "lookUpCountries", at: .data4help, for: .anyone,
    "The countries of ISO 3166-1.",
    answers: [
      .lookup(
        "countries",
        of: [
          .required("code", .text, "ISO 3166-1 alpha-2."), .required("names", .names),
        ])
    ]
  ).keptForMoments()

  /// The chronic diseases that a profile can contain.
  package static let lookUpDiseases = Endpoint.get(
    "/lookup/diseases", "lookUpDiseases", at: .data4help, for: .anyone,
    "The chronic diseases for profiles and searches.",
    answers: [
      .lookup(
        "diseases",
        of: [
          .required("code", .oneOf(ChronicDisease.allCases.map(\.rawValue))),
          .required("names", .names),
          .required("icd10", .array(of: .text), "Its ICD-10 categories."),
        ])
    ]
  ).keptForMoments()

  /// The data types with their names, units and ranges.
  package static let lookUpDataTypes = Endpoint.get(
    "/lookup/dataTypes", "lookUpDataTypes", at: .data4help, for: .anyone,
    "The data types with their names, units and plausible values.",
    answers: [
      .lookup(
        "dataTypes",
        of: [
          .required("dataType", .dataType), .required("names", .names),
          .required("unit", .text), .required("kind", .oneOf(["number", "position", "code"])),
          .optional("min", .number(), "For a number."), .optional("max", .number()),
          .optional("values", .array(of: .text), "For a code: all possible values."),
          .required("addsUp", .boolean, "Whether values add up over time, as steps do."),
          .required("loinc", .array(of: .text), "The LOINC codes, the most common one first."),
        ])
    ]
  ).keptForMoments()

  /// Finds companies by name, for the list of trusted third parties.
  package static let lookUpCompanies = Endpoint.get(
    "/lookup/companies", "lookUpCompanies", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "The companies with a word in their name that begins with the query, which needs at "
      + "least three letters or a whole shorter name; the shortest names first.",
    query: [.required("query", .text, "The beginning of a word, or a longer part of the name.")]
      + QueryParameter.lookupPaging,
    answers: [
      .lookup(
        "companies",
        of: [
          .required("piva", .text, "The key for the list of trusted third parties."),
          .required("company_name", .text), .required("company_description", .text),
        ])
    ]
  ).forSearches()
}

extension QueryParameter {
  /// The default number of entries in a lookup.
  package static let lookupLimit = 10

  fileprivate static let lookupPaging: [QueryParameter] = [
    .optional(
      "limit", .integer(1...20), "The maximum number of entries; \(lookupLimit) by default.")
  ]
}

extension Answer {
  fileprivate static func lookup(
    _ name: String, of properties: [JSONSchema.Property]
  ) -> Answer {
    .json(.object([.required(name, .array(of: .object(properties)))]))
  }
}

extension JSONSchema {
  fileprivate static let names = object([.required("it", .text), .required("en", .text)])
}
