import Domain
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
      + "be changed. A new password also replaces the session.",
    body: .json(ChangeSingleUserBody.self),
    answers: [.message("Settings updated", and: renewedSession)], rate: .guarded
  ).renewingSession()

  /// Sets whether requests can find a person (ACC-9).
  package static let chooseStatus = Endpoint.post(
    "/settings/single/status", "chooseStatus", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Makes the account inactive, so that no request finds it and none for data can be accepted, "
      + "or active again. Samples uploaded while inactive are not delivered to requests accepted "
      + "before, except check-ins of runs.",
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
    "Changes the given profile fields; null empties a field. Email and P.IVA can't be changed. "
      + "A new password also replaces the session.",
    body: .json(ChangeThirdPartyBody.self),
    answers: [.message("Settings updated", and: renewedSession)], errors: [.alreadyRegistered],
    rate: .guarded
  ).forPeopleOnly().renewingSession()

  /// The documents published by the operator (ACC-2).
  package static let documents = Endpoint.get(
    "/auth/documents", "documents", at: .data4help, for: .anyone,
    "The newest version of each document that requires consent to register.",
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
                .required(
                  "translations",
                  .array(
                    of: .object([
                      .required("language", .language), .required("title", .text),
                      .required("text", .text),
                    ])), "Title and text by language; empty where the operator has given none."),
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

  /// The session that replaces the former one.
  private static let renewedSession: [JSONSchema.Property] = [
    .optional(
      "authToken", .text,
      "With `newPassword`: the token that replaces the former one, which ends within a second; "
        + "absent if a cookie holds it, and in the repetition of a call."),
    .optional("expiresAt", .dateTime, "When the new session ends."),
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
  static let place = anyOf([
    .string(lengthMax: 200), PlaceAbroadBody.document.schema, .null,
  ])

  static let occupation = oneOf(Occupation.allCases.map(\.rawValue))
  static let paymentMethod = oneOf(PaymentMethod.allCases.map(\.rawValue))
  static let shownService = oneOf(ShownService.allCases.map(\.rawValue))
  static let legalDocument = oneOf(LegalDocument.allCases.map(\.rawValue))

  static let disease = DiseaseEntry.document.schema
  static let representative = RepresentativeBody.document.schema
}

/// The body of `POST /settings/single/status`.
package struct ChooseStatusBody: JSONDocumented {
  /// Whether requests find the account.
  package let isActive: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("active", .boolean), make: ChooseStatusBody.init)
}

/// The password of an account that changes its settings, and a new one (ACC-6).
package struct SettingsPasswords: Sendable {
  /// The current password, to verify.
  package let password: String
  /// The new password, if it changes.
  package let newPassword: Password?
  /// Whether API keys and devices end.
  package let endsKeysAndDevices: Bool

  /// Checks the content of a body.
  private init(
    password: String, newPassword: Password?, endsKeysAndDevices: Bool
  ) throws(JSONError) {
    guard !endsKeysAndDevices || newPassword != nil else {
      throw JSONError(
        .refused(
          sentence:
            "API keys and devices can only be ended with a new password: send newPassword too."),
        offset: 0, path: "endKeysAndDevices")
    }
    self.password = password
    self.newPassword = newPassword
    self.endsKeysAndDevices = endsKeysAndDevices
  }

  /// The fields; those that identify the account are refused.
  fileprivate static let document = JSONDocument(
    .required("password", .password, "The current password."),
    .optional("newPassword", .newPassword, "Ends every session; another one replaces yours."),
    .optional(
      "endKeysAndDevices", .boolean, "With `newPassword`: also ends API keys and devices.",
      else: false),
    .refused("email", unchangeable("email")), .refused("fc", unchangeable("fc")),
    .refused("piva", unchangeable("piva")),
    make: { (password, newPassword, endsKeysAndDevices, _, _, _) throws(JSONError) in
      try SettingsPasswords(
        password: password, newPassword: newPassword, endsKeysAndDevices: endsKeysAndDevices)
    })

  private static func unchangeable(_ name: String) -> String {
    "The \(name) identifies the account and cannot be changed."
  }
}

/// The body of `POST /settings/single/info`: absent fields keep their value.
package struct ChangeSingleUserBody: JSONDocumented {
  /// The passwords.
  package let passwords: SettingsPasswords
  /// The changed name.
  package let fullName: FullName?
  /// The changed birth date.
  package let birthDate: CalendarDate?
  /// The changed sex.
  package let sex: Sex?
  /// Further consents.
  package let consents: [ConsentEntry]
  /// The other fields of the profile.
  package let fields: SingleUserFields

  /// The fields.
  package static let document = JSONDocument(
    .part(SettingsPasswords.document),
    .optional("full_name", .fullName), .optional("birthdate", .date),
    .optional("sex", .enumCase), .optional("consents", .consents, else: []),
    .part(SingleUserFields.document),
    make: ChangeSingleUserBody.init)
}

/// The body of `POST /settings/tp/info`: absent fields keep their value.
package struct ChangeThirdPartyBody: JSONDocumented {
  /// The passwords.
  package let passwords: SettingsPasswords
  /// The changed name.
  package let companyName: CompanyName?
  /// The changed description.
  package let description: CompanyDescription?
  /// Further consents.
  package let consents: [ConsentEntry]
  /// The other fields of the profile.
  package let fields: ThirdPartyFields

  /// The fields.
  package static let document = JSONDocument(
    .part(SettingsPasswords.document),
    .optional("company_name", .companyName),
    .optional("company_description", .companyDescription),
    .optional("consents", .consents, else: []),
    .part(ThirdPartyFields.document),
    make: ChangeThirdPartyBody.init)
}
