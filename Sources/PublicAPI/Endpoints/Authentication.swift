import Domain
import HTTP
import JSON

extension Endpoint {
  /// Registering, activating, logging in and out (R1-R5, ACC-1, ACC-7).
  static let authentication: [Endpoint] = [
    .registerSingleUser, .registerThirdParty, .activate, .resendActivation, .login, .logout, .me,
    .forgotPassword, .openPasswordReset, .resetPassword, .deleteAccount, .export,
  ]

  /// Registers a person (R2).
  package static let registerSingleUser = Endpoint.post(
    "/auth/reg/single", "registerSingleUser", at: .data4help, for: .anyone,
    "Registers a single user and mails the link that activates the account.",
    body: .json(RegisterSingleUserBody.self),
    answers: [.message("Registration successful")],
    errors: [.alreadyRegistered], rate: .guarded)

  /// Registers a company (R3, ACC-12).
  package static let registerThirdParty = Endpoint.post(
    "/auth/reg/tp", "registerThirdParty", at: .data4help, for: .anyone,
    "Registers a third party and mails the link that activates the account.",
    body: .json(RegisterThirdPartyBody.self),
    answers: [.message("Registration successful")],
    errors: [.alreadyRegistered], rate: .guarded)

  /// Follows the activation link of the mail (ACC-1).
  package static let activate = Endpoint.get(
    "/auth/activ", "activate", at: .data4help, for: .anyone,
    "Activates the account for which the token was mailed; browsers receive a page.",
    query: [.required("activToken", .text, "The token of the mail.")],
    answers: [
      .json(
        .object([
          .required(
            "message", .oneOf(["Account activated", "Confirmation received"]),
            "The second one if the other confirmation of a child's account is still missing.")
        ])),
      .other("text/html", "The same as a page, if the client prefers HTML."),
    ],
    errors: [
      ErrorAnswer(.unauthorized, "Wrong token", "The token is not that of an inactive account."),
      ErrorAnswer(.forbidden, "Already activated", "The token was used before."),
    ]
  ).withEffect()

  /// Requests another activation mail (ACC-1).
  package static let resendActivation = Endpoint.post(
    "/auth/activ/resend", "resendActivation", at: .data4help, for: .anyone,
    "Mails a new activation link if the email belongs to an inactive account; the response "
      + "does not reveal whether it does.",
    body: .json(AccountEmailBody.self),
    answers: [.message("Action successful")], rate: .guarded)

  /// Exchanges email and password for a token (ACC-7).
  package static let login = Endpoint.post(
    "/auth/login", "login", at: .data4help, for: .anyone,
    "Opens the account's only session.",
    body: .json(LoginBody.self),
    answers: [
      .message(
        "Login successful",
        and: [
          .optional(
            "authToken", .text,
            "The token to send as `Authorization: Bearer`; absent if `cookie` was true."),
          .required("accountType", .oneOf(["single", "tp"])),
          .required("expiresAt", .dateTime),
        ])
    ],
    errors: [
      ErrorAnswer(
        .unauthorized, "Wrong credentials",
        "Email or password is wrong, or the account was not activated."),
      ErrorAnswer(
        .forbidden, "Already logged in", "A session is open; send `replace` to end it."),
      .wrongOrigin,
    ], rate: .guarded, answerIsSecret: true
  ).openingSession()

  /// Ends the session.
  package static let logout = Endpoint.post(
    "/auth/logout", "logout", at: .data4help, for: .account(otherwise: .wrongToken),
    "Ends the session of the token, and removes its cookie.", body: .none,
    answers: [.message("Action successful")]
  ).forPeopleOnly().endingSession()

  /// Deletes the account permanently (ACC-8).
  package static let deleteAccount = Endpoint.post(
    "/auth/delete", "deleteAccount", at: .data4help,
    for: .account(otherwise: .forbidden("Wrong authentication")),
    "Deletes the account with all its data; this cannot be undone.",
    body: .json(DeleteAccountBody.self),
    answers: [.message("Account deleted")],
    errors: [
      ErrorAnswer(.conflict, "Wrong state", "Help was called for the person and is on its way.")
    ], rate: .guarded
  ).forPeopleOnly().endingSession()

  /// Returns the account of the token.
  package static let me = Endpoint.get(
    "/auth/me", "me", at: .data4help, for: .account(otherwise: .wrongToken),
    "Returns the account of the token.",
    answers: [
      .json(
        .object([
          .required("accountType", .oneOf(["single", "tp"])),
          .required("email", .email),
          .optional("full_name", .text), .optional("fc", .text),
          .optional("company_name", .text), .optional("piva", .text),
          .optional(
            "hospital", .boolean,
            "Whether this third party may answer emergencies, as the endpoints of hospitals need."),
          .required("registeredAt", .dateTime),
        ]))
    ]
  ).forPeopleOnly()
}

extension Endpoint {
  /// Exports all data about the account (ACC-11).
  package static let export = Endpoint.get(
    "/auth/export", "export", at: .data4help, for: .account(otherwise: .wrongToken),
    "All data that the system holds about the account, in one zip: JSON, CSV, FHIR, GPX. "
      + "Only one export at a time.",
    answers: [.other("application/zip", "The archive; its README.txt describes each file.")]
  ).forPeopleOnly()

  /// Requests a link that resets a lost password (ACC-6).
  package static let forgotPassword = Endpoint.post(
    "/auth/password/forgot", "forgotPassword", at: .data4help, for: .anyone,
    "Mails a link that resets the password if an account has the email; the response does "
      + "not reveal whether one does.",
    body: .json(AccountEmailBody.self),
    answers: [.message("Action successful")], rate: .guarded)

  /// Opens the password reset link of the mail (ACC-6).
  package static let openPasswordReset = Endpoint.get(
    "/auth/password/reset", "openPasswordReset", at: .data4help, for: .anyone,
    "Checks whether a password reset link is still valid, without using it; browsers "
      + "receive a page with a form for the new password.",
    query: [.required("token", .text, "The token of the mail.")],
    answers: [
      .message("Link valid"),
      .other("text/html", "The page, if the client prefers HTML."),
    ], errors: [.deadPasswordReset])

  /// Sets the new password (ACC-6).
  package static let resetPassword = Endpoint.post(
    "/auth/password/reset", "resetPassword", at: .data4help, for: .anyone,
    "Replaces a lost password, once, and ends every session, API key and device.",
    body: .json(ResetPasswordBody.self),
    answers: [.message("Action successful")], errors: [.deadPasswordReset], rate: .guarded)
}

extension ErrorAnswer {
  static let deadPasswordReset = ErrorAnswer(
    .unauthorized, "Wrong token", "The token is unknown, was used, or is over an hour old.")

  static let alreadyRegistered = ErrorAnswer(
    .forbidden, "Already registered",
    "An account has this email, fiscal code, P.IVA or company name.")
}

extension JSONSchema {
  static let password = string(lengthMin: 8, lengthMax: 128)
    .described("8 to 128 characters; well-known weak passwords are rejected.")

  static let fiscalCode = string()
    .described("The codice fiscale, 16 characters; omocodia is accepted.")
    .example("\"RSSMRA80A01H501U\"")

  static let vatNumber = string()
    .described("The P.IVA, 11 digits; the prefix `IT` is accepted.")
    .example("\"12345670157\"")
}

/// The body of `POST /auth/activ/resend` and `POST /auth/password/forgot`.
package struct AccountEmailBody: JSONDocumented {
  /// The email of the account.
  package let email: EmailAddress

  /// The fields.
  package static let document = JSONDocument(
    .required("email", .email), make: AccountEmailBody.init)
}

/// The body of `POST /auth/login`.
package struct LoginBody: JSONDocumented {
  /// The email of the account.
  package let email: EmailAddress
  /// The password to verify.
  package let password: String
  /// Whether the login ends an open session.
  package let replace: Bool
  /// Whether a cookie holds the token.
  package let wantsCookie: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("email", .email),
    .required("password", .password),
    .optional("replace", .boolean, "Ends a session that is already open.", else: false),
    .optional(
      "cookie", .boolean,
      "Stores the token in a cookie that scripts can't read; for pages, over HTTPS only.",
      else: false),
    make: LoginBody.init)
}

/// The body of `POST /auth/password/reset`.
package struct ResetPasswordBody: JSONDocumented {
  /// The token of the mail, not yet verified.
  package let token: String
  /// The new password.
  package let password: Password

  /// The fields.
  package static let document = JSONDocument(
    .required("token", .text, "The token of the mail."),
    .required("newPassword", .newPassword),
    make: ResetPasswordBody.init)
}

/// The body of `POST /auth/delete`.
package struct DeleteAccountBody: JSONDocumented {
  /// The word that confirms the deletion.
  fileprivate enum Confirmation: String, CaseIterable {
    case delete = "DELETE"
  }

  /// The password to verify.
  package let password: String

  /// The fields.
  package static let document = JSONDocument(
    .required("password", .string(lengthMax: 128), "The current password."),
    .required("confirm", .deletion),
    make: { (password, _) in DeleteAccountBody(password: password) })
}

extension JSONForm<DeleteAccountBody.Confirmation> {
  /// The word that confirms the deletion of an account.
  fileprivate static var deletion: Self {
    .enumCase("Send the word \(DeleteAccountBody.Confirmation.delete.rawValue) to confirm.")
  }
}

private let consentsMeaning = "Consent to every document in `/auth/documents`."

/// The body of `POST /auth/reg/single`.
package struct RegisterSingleUserBody: JSONDocumented {
  /// The email of the account.
  package let email: EmailAddress
  /// The password.
  package let password: Password
  /// The fiscal code.
  package let fiscalCode: FiscalCode
  /// The name.
  package let fullName: FullName
  /// The birth date, not yet compared with the present day.
  package let birthDate: CalendarDate
  /// The sex.
  package let sex: Sex
  /// The email of a parent.
  package let parentEmail: EmailAddress?
  /// The consents.
  package let consents: [ConsentEntry]
  /// The other fields of the profile.
  package let fields: SingleUserFields

  /// The fields.
  package static let document = JSONDocument(
    .required("email", .email), .required("password", .newPassword),
    .required("fc", .fiscalCode), .required("full_name", .fullName),
    .required("birthdate", .date),
    .required("sex", .registeredSex, "As encoded in the fiscal code."),
    .optional(
      "parent_email", .email,
      "The email of a parent, who must confirm too; required under the age of 14."),
    .optional("consents", .consents, consentsMeaning, else: []),
    .part(SingleUserFields.document),
    make: RegisterSingleUserBody.init)
}

/// The body of `POST /auth/reg/tp`.
package struct RegisterThirdPartyBody: JSONDocumented {
  /// The email of the account.
  package let email: EmailAddress
  /// The password.
  package let password: Password
  /// The P.IVA.
  package let vatNumber: VATNumber
  /// The name of the company.
  package let companyName: CompanyName
  /// Its description.
  package let description: CompanyDescription
  /// The consents.
  package let consents: [ConsentEntry]
  /// The other fields of the profile.
  package let fields: ThirdPartyFields

  /// The fields.
  package static let document = JSONDocument(
    .required("email", .email), .required("password", .newPassword),
    .required("piva", .vatNumber), .required("company_name", .companyName),
    .required("company_description", .companyDescription),
    .optional("consents", .consents, consentsMeaning, else: []),
    .part(ThirdPartyFields.document),
    make: RegisterThirdPartyBody.init)
}

extension JSONForm<Sex> {
  /// The sex of a person who registers.
  fileprivate static var registeredSex: Self {
    .enumCase("The sex is F or M, as the fiscal code has it.")
  }
}

extension JSONForm<VATNumber> {
  /// The P.IVA of a company that registers.
  fileprivate static var vatNumber: Self {
    .parsed(.vatNumber) { (text) throws(VATNumberError) in try VATNumber(text) }
  }
}
