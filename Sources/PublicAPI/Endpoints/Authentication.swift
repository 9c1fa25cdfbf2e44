import HTTP
import JSON

extension Endpoint {
  /// Registering, activating, logging in and out (R1-R5, ACC-1, ACC-7).
  static let authentication: [Endpoint] = [
    .registerSingleUser, .registerThirdParty, .activate, .resendActivation, .login, .logout, .me,
    .forgotPassword, .openPasswordReset, .resetPassword, .deleteAccount, .export,
  ]

  /// A person registers (R2).
  package static let registerSingleUser = Endpoint.post(
    "/auth/reg/single", "registerSingleUser", at: .data4help, for: .anyone,
    "Registers a single user; a mail brings the link that activates the account.",
    body: .json(
      .object(
        [
          .required("email", .email),
          .required("password", .password),
          .required("fc", .fiscalCode),
          .required("full_name", .string(lengthMax: 200)),
          .required("birthdate", .date),
          .required("sex", .oneOf(["F", "M"]), "As the fiscal code has it."),
          .optional("parent_email", .email, "Of a parent, who confirms too; under 14 years."),
          .optional("consents", .consents, "To every document in `/auth/documents`."),
        ] + singleUserFields)),
    answers: [.message("Registration successful")],
    errors: [.alreadyRegistered], rate: .guarded)

  /// A company registers (R3, ACC-12).
  package static let registerThirdParty = Endpoint.post(
    "/auth/reg/tp", "registerThirdParty", at: .data4help, for: .anyone,
    "Registers a third party; a mail brings the link that activates the account.",
    body: .json(
      .object(
        [
          .required("email", .email),
          .required("password", .password),
          .required("piva", .vatNumber),
          .required("company_name", .string(lengthMax: 200)),
          .required("company_description", .string()),
          .optional("consents", .consents, "To every document in `/auth/documents`."),
        ] + thirdPartyFields)),
    answers: [.message("Registration successful")],
    errors: [.alreadyRegistered], rate: .guarded)

  /// The link of the mail is followed (ACC-1).
  package static let activate = Endpoint.get(
    "/auth/activ", "activate", at: .data4help, for: .anyone,
    "Activates the account that the token was mailed for; browsers get a page.",
    query: [.required("activToken", .text, "The token of the mail.")],
    answers: [
      .json(
        .object([
          .required(
            "message", .oneOf(["Account activated", "Confirmation received"]),
            "The second while the other confirmation of a child's account is missing.")
        ])),
      .other("text/html", "The same as a page, where HTML is preferred."),
    ],
    errors: [
      ErrorAnswer(.unauthorized, "Wrong token", "No account waits for this token."),
      ErrorAnswer(.forbidden, "Already activated", "The token was used before."),
    ]
  ).withEffect()

  /// Another mail is wanted (ACC-1).
  package static let resendActivation = Endpoint.post(
    "/auth/activ/resend", "resendActivation", at: .data4help, for: .anyone,
    "Mails a new activation link, if an account waits for one; the answer never tells.",
    body: .json(.object([.required("email", .email)])),
    answers: [.message("Action successful")], rate: .guarded)

  /// Email and password become a token (ACC-7).
  package static let login = Endpoint.post(
    "/auth/login", "login", at: .data4help, for: .anyone,
    "Opens the account's one session.",
    body: .json(
      .object([
        .required("email", .email),
        .required("password", .string(lengthMax: 128)),
        .optional("replace", .boolean, "Ends the session that is open elsewhere."),
      ])),
    answers: [
      .message(
        "Login successful",
        and: [
          .required("authToken", .text, "The token to send as `Authorization: Bearer`."),
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
    ], rate: .guarded, answerIsSecret: true)

  /// The session ends.
  package static let logout = Endpoint.post(
    "/auth/logout", "logout", at: .data4help, for: .account(otherwise: .wrongToken),
    "Ends the session of the token.", body: .none, answers: [.message("Action successful")]
  ).forPeopleOnly().endingSession()

  /// The account goes for good (ACC-8).
  package static let deleteAccount = Endpoint.post(
    "/auth/delete", "deleteAccount", at: .data4help,
    for: .account(otherwise: .forbidden("Wrong authentication")),
    "Deletes the account with everything it owns; it cannot be undone.",
    body: .json(
      .object([
        .required("password", .string(lengthMax: 128), "The current one."),
        .required("confirm", .oneOf(["DELETE"])),
      ])),
    answers: [.message("Account deleted")],
    errors: [
      ErrorAnswer(.conflict, "Wrong state", "Help was called for the person, and is on the way.")
    ], rate: .guarded
  ).forPeopleOnly().endingSession()

  /// Who am I.
  package static let me = Endpoint.get(
    "/auth/me", "me", at: .data4help, for: .account(otherwise: .wrongToken),
    "Says whose token this is.",
    answers: [
      .json(
        .object([
          .required("accountType", .oneOf(["single", "tp"])),
          .required("email", .email),
          .optional("full_name", .text), .optional("fc", .text),
          .optional("company_name", .text), .optional("piva", .text),
          .required("registeredAt", .dateTime),
        ]))
    ]
  ).forPeopleOnly()
}

extension Endpoint {
  /// Everything about oneself (ACC-11).
  package static let export = Endpoint.get(
    "/auth/export", "export", at: .data4help, for: .account(otherwise: .wrongToken),
    "Everything the system holds about the account, in one zip: JSON, CSV, FHIR, GPX. One at a "
      + "time.",
    answers: [.other("application/zip", "The archive; its README.txt names each file.")]
  ).forPeopleOnly()

  /// The password was lost (ACC-6).
  package static let forgotPassword = Endpoint.post(
    "/auth/password/forgot", "forgotPassword", at: .data4help, for: .anyone,
    "Mails a link that resets the password, if an account has the email; the answer never tells.",
    body: .json(.object([.required("email", .email)])),
    answers: [.message("Action successful")], rate: .guarded)

  /// The link of the mail is opened (ACC-6).
  package static let openPasswordReset = Endpoint.get(
    "/auth/password/reset", "openPasswordReset", at: .data4help, for: .anyone,
    "Says whether a link that resets a password still works, and uses nothing up; browsers get a "
      + "page on which the new password is typed.",
    query: [.required("token", .text, "The token of the mail.")],
    answers: [
      .message("Link valid"),
      .other("text/html", "The page, where HTML is preferred."),
    ], errors: [.deadPasswordReset])

  /// The new password is sent (ACC-6).
  package static let resetPassword = Endpoint.post(
    "/auth/password/reset", "resetPassword", at: .data4help, for: .anyone,
    "Puts a new password in place of a lost one, once, and ends every session, API key and device.",
    body: .json(
      .object([
        .required("token", .text, "The token of the mail."),
        .required("newPassword", .password),
      ])),
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
    .described("8 to 128 characters, none of the well-known bad ones.")

  static let fiscalCode = string()
    .described("The codice fiscale, 16 characters; omocodia is accepted.")
    .example("\"RSSMRA80A01H501U\"")

  static let vatNumber = string()
    .described("The P.IVA, 11 digits; `IT` in front is accepted.")
    .example("\"12345670157\"")
}
