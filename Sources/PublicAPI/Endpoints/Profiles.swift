import Domain
import HTTP
import JSON

extension Endpoint {
  /// Profiles, consents and the account status of ACC-9.
  static let profiles: [Endpoint] = [
    .readSingleUser, .changeSingleUser, .chooseStatus, .readThirdParty, .changeThirdParty,
    .documents, .consents,
  ]

  /// Reads a person's profile (ACC-3).
  package static let readSingleUser = Endpoint.get(
    "/settings/single", "readSingleUser", at: .data4help,
    for: .singleUser(otherwise: .wrongToken), "Your whole profile.",
    answers: [
      .json(
        .object(
          [
            .required("email", .email), .required("fc", .text), .required("full_name", .text),
            .required("birthdate", .date), .required("sex", .oneOf(["F", "M"])),
            .required("active", .boolean, "Whether third parties can find you."),
          ] + placeFields("residence", prefix: "residence")
            + placeFields("birth_place", prefix: "birth")
            + [
              .optional("phone", .text), .optional("address", .text),
              .optional("nationality", .text), .optional("occupation", .occupation),
              .optional("height", .number(), "In metres."),
              .optional("weight", .number(), "In kilograms."),
              .required("diseases", .array(of: .disease)), .optional("parent_email", .email),
            ] + shownLocale))
    ])

  /// Changes a person's profile (ACC-5, ACC-6).
  package static let changeSingleUser = Endpoint.post(
    "/settings/single/info", "changeSingleUser", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong authentication")),
    "Changes the given profile fields; null empties a field. Email and fiscal code can't "
      + "be changed.",
    body: .json(
      .object(
        [
          .required("password", .string(lengthMax: 128), "The current password."),
          .optional("newPassword", .password, "Ends other sessions."),
          endKeysAndDevices,
          .optional("full_name", .string(lengthMax: 200)), .optional("birthdate", .date),
          .optional("sex", .oneOf(["F", "M"])), .optional("consents", .consents),
        ] + singleUserFields)),
    answers: [.message("Settings updated")], rate: .guarded)

  /// Sets whether requests can find a person (ACC-9).
  package static let chooseStatus = Endpoint.post(
    "/settings/single/status", "chooseStatus", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Makes the account inactive, so that no request finds it, or active again.",
    body: .json(ChooseStatusBody.self),
    answers: [.message("Settings updated")])

  /// Reads a company's profile (ACC-4).
  package static let readThirdParty = Endpoint.get(
    "/settings/tp", "readThirdParty", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken), "The company's whole profile.",
    answers: [
      .json(
        .object(
          [
            .required("email", .email), .required("piva", .text), .required("company_name", .text),
            .required("company_description", .text), .optional("sector", .text),
            .optional("phone", .text), .optional("legal_address", .text),
            .optional("billing_address", .text), .optional("representative", .representative),
            .optional("payment_method", .paymentMethod),
            .required("services", .array(of: .shownService)), .optional("coordinate", .text),
          ] + shownLocale))
    ]
  ).forPeopleOnly()

  /// Changes a company's profile (ACC-5, ACC-6, ACC-12).
  package static let changeThirdParty = Endpoint.post(
    "/settings/tp/info", "changeThirdParty", at: .data4help,
    for: .thirdParty(otherwise: .forbidden("Wrong authentication")),
    "Changes the given profile fields; null empties a field. Email and P.IVA can't be changed.",
    body: .json(
      .object(
        [
          .required("password", .string(lengthMax: 128), "The current password."),
          .optional("newPassword", .password, "Ends other sessions."),
          endKeysAndDevices,
          .optional("company_name", .string(lengthMax: 200)),
          .optional("company_description", .string()), .optional("consents", .consents),
        ] + thirdPartyFields)),
    answers: [.message("Settings updated")], errors: [.alreadyRegistered], rate: .guarded
  ).forPeopleOnly()

  /// The documents published by the operator (ACC-2).
  package static let documents = Endpoint.get(
    "/auth/documents", "documents", at: .data4help, for: .anyone,
    "The newest version of each document that requires consent to register; often none.",
    answers: [
      .json(
        .object([
          .required(
            "documents",
            .array(
              of: .object([
                .required("document", .legalDocument), .required("version", .text),
                .required("title", .text), .required("text", .text),
                .required("publishedAt", .dateTime),
                .required(
                  "accountTypes", .array(of: .oneOf(AccountKind.allCases.map(\.rawValue))),
                  "The kinds of account that must consent to register."),
              ])))
        ]))
    ])

  /// The consents of an account (ACC-2).
  package static let consents = Endpoint.get(
    "/auth/consents", "consents", at: .data4help, for: .account(otherwise: .wrongToken),
    "The documents that you have consented to, newest first.",
    answers: [
      .json(
        .object([
          .required(
            "consents",
            .array(
              of: .object([
                .required("document", .legalDocument), .required("version", .text),
                .required("givenAt", .dateTime),
              ])))
        ]))
    ]
  ).forPeopleOnly()

  private static let endKeysAndDevices = JSONSchema.Property.optional(
    "endKeysAndDevices", .boolean, "With `newPassword`: also ends API keys and devices.")

  /// The profile fields of a single user in registration and settings.
  static let singleUserFields: [JSONSchema.Property] =
    [
      .optional("phone", .string(lengthMax: 64).nullable),
      .optional("address", .string(lengthMax: 200).nullable),
      .optional(
        "residence", .place,
        "A current municipality by name, such as `Samone (TN)` if several share the name, "
          + "or by ISTAT code; abroad a country and a place."),
      .optional(
        "birth_place", .place,
        "A municipality, including former ones, or a country, optionally with a place; it "
          + "must match the fiscal code."),
      .optional("nationality", .string(lengthMax: 2).nullable, "ISO 3166-1 alpha-2."),
      .optional("occupation", JSONSchema.occupation.nullable),
      .optional("height", .number(0.2...2.8).nullable, "In metres."),
      .optional("weight", .number(0.5...500).nullable, "In kilograms."),
      .optional("diseases", .array(of: .disease, countMax: 40).nullable),
    ] + localeFields

  /// The profile fields of a third party in registration and settings.
  static let thirdPartyFields: [JSONSchema.Property] =
    [
      .optional("sector", .string(lengthMax: 200).nullable),
      .optional("phone", .string(lengthMax: 64).nullable),
      .optional("legal_address", .string(lengthMax: 200).nullable),
      .optional("billing_address", .string(lengthMax: 200).nullable),
      .optional("representative", JSONSchema.representative.nullable),
      .optional("payment_method", JSONSchema.paymentMethod.nullable),
      .optional(
        "services", .array(of: .shownService, countMax: ShownService.allCases.count).nullable),
      .optional("coordinate", .string(lengthMax: 64).nullable, "`lat,lon`"),
    ] + localeFields

  /// The language and time zone of texts, for both kinds of account.
  private static let localeFields: [JSONSchema.Property] = [
    .optional(
      "language", JSONSchema.language.nullable,
      "The language of mails and notices; null for Italian."),
    .optional(
      "time_zone", .string(lengthMax: 64).nullable,
      "The time zone of times in mails, an IANA name such as `Europe/Rome`; null for that "
        + "of the installation."),
  ]

  /// The effective language and time zone, chosen or default.
  private static let shownLocale: [JSONSchema.Property] = [
    .required("language", .language), .required("time_zone", .text),
  ]

  private static func placeFields(_ name: String, prefix: String) -> [JSONSchema.Property] {
    [
      .optional(name, .text, "The name; for a place abroad as entered by the person."),
      .optional("\(prefix)_istat", .text),
      .optional("\(prefix)_province", .text), .optional("\(prefix)_region", .text),
      .optional("\(prefix)_country", .text, "ISO 3166-1 alpha-2."),
    ]
  }
}

extension JSONSchema {
  static let language = oneOf(Language.allCases.map(\.rawValue))
  /// A residence or birth place.
  fileprivate static let place = anyOf([
    .string(lengthMax: 200),
    .object([
      .required("country", .string(lengthMin: 2, lengthMax: 2), "ISO 3166-1 alpha-2."),
      .required("place", .string(lengthMax: 200)),
    ]), .null,
  ])

  static let occupation = oneOf(Occupation.allCases.map(\.rawValue))
  static let paymentMethod = oneOf(PaymentMethod.allCases.map(\.rawValue))
  static let shownService = oneOf(ShownService.allCases.map(\.rawValue))
  static let legalDocument = oneOf(LegalDocument.allCases.map(\.rawValue))

  static let consents = array(
    of: .object([.required("document", .legalDocument), .required("version", .string())]),
    countMax: LegalDocument.allCases.count)

  static let disease = object([
    .required(
      "code", .string(lengthMax: 64),
      "An ICD-10 code or one of "
        + ChronicDisease.allCases.map(\.rawValue).joined(separator: ", ") + "."
    ),
    .optional(
      "drugs",
      .array(
        of: .object([
          .required("name", .string(lengthMax: 200)),
          .required("dosesPerDay", .number(Drug.doses)),
        ]), countMax: 20)),
  ])

  static let representative = object([
    .required("full_name", .string(lengthMax: 200)), .optional("fc", .fiscalCode),
    .optional("phone", .string(lengthMax: 64)), .optional("email", .email),
    .optional("office_address", .string(lengthMax: 200)),
  ])
}

/// The body of `POST /settings/single/status`.
package struct ChooseStatusBody: JSONDocumented {
  /// Whether requests find the account.
  package let isActive: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("active", .boolean), make: ChooseStatusBody.init)
}
