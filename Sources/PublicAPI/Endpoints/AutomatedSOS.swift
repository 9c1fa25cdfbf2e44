import HTTP
import JSON

extension Endpoint {
  /// Monitoring by AutomatedSOS (R33-R35, SOS-1, SOS-6, SOS-9, SOS-11).
  static let automatedSOS: [Endpoint] = [
    .enableSOS, .disableSOS, .readSOSSettings, .chooseThresholds, .chooseContacts,
    .openContactLink, .answerAsContact, .pauseMonitoring, .raiseAlert, .abortEmergency,
    .reportFalseAlarm, .beginDrill,
    .emergencies, .chooseDuty, .emergencyCalls, .acknowledgeCall, .closeCall,
  ]

  /// Enables monitoring and permits emergency calls (R34).
  package static let enableSOS = Endpoint.post(
    "/sos/enable", "enableSOS", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Monitors your readings and calls a hospital in an emergency. It is not a medical "
      + "device and does not replace 112.",
    body: .json(
      .object([
        .required(
          "callPermission", .boolean,
          "Whether emergency calls may be made on your behalf. False switches "
            + "AutomatedSOS off, and is refused while it is switched off."),
        .optional("language", .language, "The language of messages to others; Italian by default."),
      ])),
    answers: [
      .json(
        .object([
          .required(
            "message", .oneOf(["AutomatedSOS enabled", "AutomatedSOS disabled"]),
            "The second one for `callPermission: false`, without further fields."),
          .optional(
            "missing", .array(of: .dataType),
            "Data types that the rules need but no paired device provides."),
          .optional(
            "notice", .text,
            "A plain text about the limits of AutomatedSOS and the missing data types."),
        ]))
    ])

  /// Disables monitoring.
  package static let disableSOS = Endpoint.post(
    "/sos/disable", "disableSOS", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Ends monitoring and withdraws the permission for calls; thresholds and contacts are kept.",
    body: .none, answers: [.message("AutomatedSOS disabled")])

  /// Reads the monitoring settings.
  package static let readSOSSettings = Endpoint.get(
    "/sos/settings", "readSOSSettings", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Whether and how you are monitored: thresholds, times, contacts. A device receives "
      + "everything except the contacts, so that it can evaluate readings itself.",
    answers: [
      .json(
        .object([
          .required("enabled", .boolean), .required("permittedAt", .dateTime.nullable),
          .required("language", .language), .required("pausedUntil", .dateTime.nullable),
          .required(
            "confirmSeconds", .count, "How long readings must be critical for a confirmation."),
          .required("abortSeconds", .count, "How long an emergency can be aborted."),
          .required(
            "pulseAbortSeconds", .count,
            "The same after a loss of pulse, unless the loss is certain."),
          .required(
            "ageMonths", .count, "The age that determines the thresholds, in whole months."),
          .required(
            "thresholds",
            .array(
              of: .object([
                .required("name", .oneOf(thresholdNames)),
                .required(
                  "value", .number().nullable,
                  "The threshold in force; null if no rule applies at this age."),
                .required("own", .boolean, "Whether you have set it yourself."),
                .required("min", .number()), .required("max", .number()),
              ]))),
          .optional("contacts", .array(of: .askedContact), "Not for devices."),
          .required("missing", .array(of: .dataType), "As in the response of `/sos/enable`."),
          .required("notice", .text),
        ]))
    ]
  ).forDevices()

  private static let thresholdNames = [
    "heartRateLow", "heartRateHigh", "systolicLow", "systolicHigh", "diastolicHigh",
  ]

  /// Sets a person's own thresholds (SOS-1).
  package static let chooseThresholds = Endpoint.post(
    "/sos/thresholds", "chooseThresholds", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Sets your own thresholds, from 18 years on. Null restores the default of your age; "
      + "omitted thresholds are unchanged.",
    body: .json(
      .object([
        .optional("heartRateLow", .number().nullable, "BPM, 30 to 55."),
        .optional("heartRateHigh", .number().nullable, "BPM at rest, 110 to 180."),
        .optional("systolicLow", .number().nullable, "mmHg, 70 to 100."),
        .optional("systolicHigh", .number().nullable, "mmHg, 150 to 200."),
        .optional("diastolicHigh", .number().nullable, "mmHg, 90 to 120."),
      ])),
    answers: [.message("Settings updated")])

  /// Sets the emergency contacts, who are notified in addition to the hospital (SOS-6).
  package static let chooseContacts = Endpoint.post(
    "/sos/contacts", "chooseContacts", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Replaces your emergency contacts, at most ten. Each new contact is asked by mail to "
      + "agree; after that they are notified by mail, and by voice if the operator allows it.",
    body: .json(
      .object([.required("contacts", .array(of: .emergencyContact, countMax: 10))])),
    answers: [
      .message(
        "Settings updated",
        and: [
          .optional(
            "notAsked", .array(of: .email),
            "Contacts that are stored but not asked today: an address is asked by at most "
              + "five mails in 24 hours, counted over all accounts."),
          .optional("notice", .text, "The same in plain words."),
        ])
    ],
    errors: [
      ErrorAnswer(
        .tooManyRequests, "Too many requests",
        "Contacts would receive more than 30 mails in 24 hours because of this person, or "
          + "one of them a third request.")
    ])

  /// Opens the link of the mail to a contact (SOS-6).
  package static let openContactLink = Endpoint.get(
    "/sos/contact", "openContactLink", at: .data4help, for: .anyone,
    "Returns whose emergency contact you are, without using the link; browsers receive a "
      + "page to agree or decline. If you were removed from the list, or AutomatedSOS is off, "
      + "you can only decline.",
    query: [.required("token", .text, "The token of the mail.")],
    answers: [
      .json(
        .object([
          .required("message", .oneOf(["Link valid"])),
          .optional(
            "full_name", .text,
            "Omitted if the contact was removed from the list, or AutomatedSOS is off."),
          .required("state", .oneOf(["asked", "agreed", "declined"])),
          .required(
            "mayAgree", .boolean,
            "Whether this link can agree; otherwise it can only decline. It agrees to the "
              + "telephone number in its mail, as long as the list contains that number."),
        ])),
      .other("text/html", "The page, if the client prefers HTML."),
    ], errors: [.deadContactLink])

  /// Records a contact's answer (SOS-6).
  package static let answerAsContact = Endpoint.post(
    "/sos/contact", "answerAsContact", at: .data4help, for: .anyone,
    "Agrees to be an emergency contact, or declines; invalidates all links mailed before. "
      + "Every valid link can decline.",
    body: .json(
      .object([
        .required("token", .text, "The token of the mail."), .required("agree", .boolean),
      ])),
    answers: [.message("Action successful")],
    errors: [
      .deadContactLink,
      ErrorAnswer(
        .conflict, "Wrong state",
        "The link can only decline: its mail had another telephone number or none, the "
          + "contact was removed from the list, or AutomatedSOS is off."),
    ], rate: .guarded)

  /// Pauses monitoring (SOS-9).
  package static let pauseMonitoring = Endpoint.post(
    "/sos/pause", "pauseMonitoring", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Pauses the evaluation of readings until a time; an active emergency continues.",
    body: .json(
      .object([
        .required(
          "until", .dateTime.nullable,
          "The end of the pause, at most 366 days ahead; null resumes at once.")
      ])),
    answers: [
      .message("Settings updated", and: [.required("pausedUntil", .dateTime.nullable)])
    ])
}

extension JSONSchema {
  /// An emergency contact.
  fileprivate static let emergencyContact = object(contactFields)

  /// An emergency contact with the answer.
  fileprivate static let askedContact = object(
    contactFields + [
      .required(
        "state", .oneOf(["asked", "agreed", "declined", "not asked"]),
        "The contact's answer; before they agree, they receive only one mail per emergency.")
    ])

  private static let contactFields: [Property] = [
    .required("name", .string(lengthMax: 200)), .required("email", .email),
    .optional(
      "phone", .string(lengthMax: 64),
      "With its country and at least eight digits, as +39 02 1234567."),
  ]
}

extension ErrorAnswer {
  fileprivate static let deadContactLink = ErrorAnswer(
    .unauthorized, "Wrong token", "The token is unknown or was used.")
}
