import Domain
import HTTP
import JSON

extension Endpoint {
  /// Choices of an account (DAT-1, REQ-3).
  static let settings: [Endpoint] = [
    .readImportedTypes, .chooseImportedTypes, .listPreconfirmed, .choosePreconfirmed,
  ]

  /// Lists which data types are imported.
  package static let readImportedTypes = Endpoint.get(
    "/settings/single/data", "readImportedTypes", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong authentication")),
    "Lists the data types and whether uploads of them are stored.",
    answers: [
      .json(
        .object([
          .required("types", .array(of: .dataType)),
          .required("enabled", .array(of: .boolean), "One value for each type."),
          .required(
            "pausedUntil", .dateTime.nullable, "The end of a pause of collection, or null."),
        ]))
    ])

  /// Enables or disables the import of data types.
  package static let chooseImportedTypes = Endpoint.post(
    "/settings/single/data", "chooseImportedTypes", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong authentication")),
    "Chooses which data types are imported; omitted types are unchanged.",
    body: .json(ChooseImportedTypesBody.self),
    answers: [.message("Settings updated")])

  /// Lists the third parties whose requests are accepted in advance (REQ-3).
  package static let listPreconfirmed = Endpoint.get(
    "/settings/single/preconfirmed", "listPreconfirmed", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "The third parties whose requests are accepted in advance, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "thirdParties",
        of: [
          .required("piva", .text), .required("company_name", .text),
          .required("company_description", .text), .required("since", .dateTime),
        ])
    ])

  /// Adds a third party to that list or removes it (REQ-3).
  package static let choosePreconfirmed = Endpoint.post(
    "/settings/single/preconfirmed", "choosePreconfirmed", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Accepts the requests of a third party in advance, or ends this; earlier requests are "
      + "unchanged.",
    body: .json(TrustThirdPartyBody.self),
    answers: [.message("Settings updated")],
    errors: [ErrorAnswer(.notFound, "Not found", "No third party has this piva or email.")],
    rate: .guarded)
}

extension JSONSchema {
  static let dataType = oneOf(DataType.allCases.map(\.name))
}

/// The body of `POST /settings/single/preconfirmed`.
package struct TrustThirdPartyBody: JSONDocumented {
  /// The P.IVA of the third party.
  package let vatNumber: VATNumber?
  /// Its email.
  package let email: EmailAddress?
  /// Whether its requests are accepted in advance.
  package let isAllowed: Bool

  /// The fields.
  package static let document = JSONDocument(
    .optional(
      "piva", .knownVATNumber, "The P.IVA of the third party; either this or `email`."),
    .optional("email", .email, "The email of the third party; either this or `piva`."),
    .required("allowed", .boolean),
    make: TrustThirdPartyBody.init)
}

/// The body of `POST /settings/single/data`.
package struct ChooseImportedTypesBody: JSONDocumented {
  /// The types to switch on.
  package let on: DataTypeSet
  /// The types to switch off.
  package let off: DataTypeSet

  /// Checks the content of a body.
  private init(types: [DataType], enabled: [Bool]) throws(JSONError) {
    guard !types.isEmpty else { throw Self.refusal("Name at least one data type.", "types") }
    guard types.count == enabled.count else {
      throw Self.refusal("Give one true or false for each data type.", "enabled")
    }
    let choices = zip(types, enabled)
    on = DataTypeSet(choices.filter { $0.1 }.map { $0.0 })
    off = DataTypeSet(choices.filter { !$0.1 }.map { $0.0 })
    guard on.intersection(off).isEmpty else {
      throw Self.refusal("A data type can't be both on and off.", "types")
    }
  }

  private static func refusal(_ sentence: String, _ field: String) -> JSONError {
    JSONError(.refused(sentence: sentence), offset: 0, path: field)
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("types", JSONForm<DataType>.dataType.list(countMin: 1, countMax: 100)),
    .required(
      "enabled", JSONForm<Bool>.boolean.list(countMin: 1, countMax: 100),
      "One value for each type."),
    make: ChooseImportedTypesBody.init)
}
