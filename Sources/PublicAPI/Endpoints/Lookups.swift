import Domain
import HTTP
import JSON

extension Endpoint {
  /// What forms offer while somebody types (ACC-3, REQ-3).
  static let lookups: [Endpoint] = [
    .lookUpMunicipalities, .lookUpProvinces, .lookUpRegions, .lookUpCountries, .lookUpDiseases,
    .lookUpDataTypes, .lookUpCompanies,
  ]

  /// Municipalities by the beginning of their name.
  package static let lookUpMunicipalities = Endpoint.get(
    "/lookup/municipalities", "lookUpMunicipalities", at: .data4help, for: .anyone,
    "The municipalities of today whose name begins so, without regard to case, accents and signs. "
      + "A residence takes `istat`, or the name with the province in brackets.",
    query: [.required("query", .text, "The beginning of the name, as `mil` or `Samone (TN)`.")]
      + QueryParameter.lookupPaging,
    answers: [
      .lookup(
        "municipalities",
        of: [
          .required("name", .text), .optional("otherName", .text, "In the other language."),
          .optional("istat", .text, "The ISTAT code; the newest municipalities have none here."),
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

  /// The chronic diseases that a profile can name.
  package static let lookUpDiseases = Endpoint.get(
    "/lookup/diseases", "lookUpDiseases", at: .data4help, for: .anyone,
    "The chronic diseases that profiles and searches name.",
    answers: [
      .lookup(
        "diseases",
        of: [
          .required("code", .oneOf(ChronicDisease.allCases.map(\.rawValue))),
          .required("names", .names),
          .required("icd10", .array(of: .text), "Its categories of the ICD-10."),
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
          .optional("min", .number(), "Of a number."), .optional("max", .number()),
          .optional("values", .array(of: .text), "Of a code, all there are."),
          .required("addsUp", .boolean, "Whether values add up over time, as steps do."),
          .required("loinc", .array(of: .text), "The LOINC codes, the usual one first."),
        ])
    ]
  ).keptForMoments()

  /// Companies by name, for the list of those that a person trusts.
  package static let lookUpCompanies = Endpoint.get(
    "/lookup/companies", "lookUpCompanies", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "The companies of which a word of the name begins so, by at least three letters or a whole "
      + "shorter name; the shortest names first.",
    query: [.required("query", .text, "The beginning of a word, or more of the name.")]
      + QueryParameter.lookupPaging,
    answers: [
      .lookup(
        "companies",
        of: [
          .required("piva", .text, "What the list of trusted third parties takes."),
          .required("company_name", .text), .required("company_description", .text),
        ])
    ]
  ).forSearches()
}

extension QueryParameter {
  /// Entries of a lookup where no limit is named.
  package static let lookupLimit = 10

  fileprivate static let lookupPaging: [QueryParameter] = [
    .optional(
      "limit", .integer(1...20), "How many entries to give at most; \(lookupLimit) if left out.")
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
