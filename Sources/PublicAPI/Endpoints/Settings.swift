import Domain
import JSON

extension Endpoint {
  /// What an account chooses (DAT-1).
  static let settings: [Endpoint] = [.readImportedTypes, .chooseImportedTypes]

  /// Which data types are imported.
  package static let readImportedTypes = Endpoint.get(
    "/settings/single/data", "readImportedTypes", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong authentication")),
    "Lists the data types and whether uploads of them are stored.",
    answers: [
      .json(
        .object([
          .required("types", .array(of: .dataType)),
          .required("enabled", .array(of: .boolean), "One for each type."),
          .required(
            "pausedUntil", .dateTime.nullable, "Until when collection is paused, or null."),
        ]))
    ])

  /// Switches data types on or off.
  package static let chooseImportedTypes = Endpoint.post(
    "/settings/single/data", "chooseImportedTypes", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong authentication")),
    "Chooses which data types are imported; those not named stay as they are.",
    body: .json(
      .object([
        .required("types", .array(of: .dataType, countMin: 1, countMax: 100)),
        .required(
          "enabled", .array(of: .boolean, countMin: 1, countMax: 100), "One for each type."),
      ])),
    answers: [.message("Settings updated")])
}

extension JSONSchema {
  static let dataType = oneOf(DataType.allCases.map(\.name))
}
