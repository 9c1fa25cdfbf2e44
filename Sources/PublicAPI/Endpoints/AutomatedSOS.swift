import HTTP
import JSON

extension Endpoint {
  /// Being monitored by AutomatedSOS (R33-R35, SOS-1, SOS-6, SOS-9, SOS-11).
  static let automatedSOS: [Endpoint] = [
    .enableSOS, .disableSOS, .readSOSSettings, .chooseThresholds, .chooseContacts,
    .openContactLink, .answerAsContact, .pauseMonitoring, .raiseAlert, .abortEmergency,
    .reportFalseAlarm, .beginDrill,
    .emergencies, .chooseDuty, .emergencyCalls, .acknowledgeCall, .closeCall,
  ]

  /// A person wants to be monitored, and permits emergency calls (R34).
  package static let enableSOS = Endpoint.post(
    "/sos/enable", "enableSOS", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Monitors one's readings and calls a hospital in an emergency. It is not a medical device and "
      + "does not replace 112.",
    body: .json(
      .object([
        .required(
          "callPermission", .boolean,
          "Whether emergency calls may be made on one's behalf. False switches AutomatedSOS off, "
            + "and is refused while it is switched off."),
        .optional("language", .language, "Of what is said to others; Italian if left out."),
      ])),
    answers: [
      .json(
        .object([
          .required(
            "message", .oneOf(["AutomatedSOS enabled", "AutomatedSOS disabled"]),
            "The second for `callPermission: false`, which has no other fields."),
          .optional(
            "missing", .array(of: .dataType), "What the rules need and no paired device delivers."),
          .optional("notice", .text, "What it is not, and what is missing, in plain words."),
        ]))
    ])

  /// A person wants to be monitored no more.
  package static let disableSOS = Endpoint.post(
    "/sos/disable", "disableSOS", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Ends being monitored and takes the permission for calls back; thresholds and contacts stay.",
    body: .none, answers: [.message("AutomatedSOS disabled")])

  /// How a person is monitored.
  package static let readSOSSettings = Endpoint.get(
    "/sos/settings", "readSOSSettings", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Whether and how one is monitored: thresholds, times, contacts. A device reads all but the "
      + "contacts, to judge readings itself.",
    answers: [
      .json(
        .object([
          .required("enabled", .boolean), .required("permittedAt", .dateTime.nullable),
          .required("language", .language), .required("pausedUntil", .dateTime.nullable),
          .required("confirmSeconds", .count, "Critical for so long confirms an emergency."),
          .required("abortSeconds", .count, "For so long it can be aborted."),
          .required(
            "pulseAbortSeconds", .count, "The same where a pulse is lost, unless it is sure."),
          .required("ageMonths", .count, "The age that thresholds follow, in whole months."),
          .required(
            "thresholds",
            .array(
              of: .object([
                .required("name", .oneOf(thresholdNames)),
                .required("value", .number().nullable, "In force; null: no rule at this age."),
                .required("own", .boolean, "Set by oneself."),
                .required("min", .number()), .required("max", .number()),
              ]))),
          .optional("contacts", .array(of: .askedContact), "Not for devices."),
          .required("missing", .array(of: .dataType), "As enabling says."),
          .required("notice", .text),
        ]))
    ]
  ).forDevices()

  private static let thresholdNames = [
    "heartRateLow", "heartRateHigh", "systolicLow", "systolicHigh", "diastolicHigh",
  ]

  /// A person sets thresholds of their own (SOS-1).
  package static let chooseThresholds = Endpoint.post(
    "/sos/thresholds", "chooseThresholds", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Sets thresholds of one's own, from 18 years on; null takes back the one of the age, and what "
      + "is left out stays.",
    body: .json(
      .object([
        .optional("heartRateLow", .number().nullable, "BPM, 30 to 55."),
        .optional("heartRateHigh", .number().nullable, "BPM at rest, 110 to 180."),
        .optional("systolicLow", .number().nullable, "mmHg, 70 to 100."),
        .optional("systolicHigh", .number().nullable, "mmHg, 150 to 200."),
        .optional("diastolicHigh", .number().nullable, "mmHg, 90 to 120."),
      ])),
    answers: [.message("Settings updated")])

  /// Whom to tell beside the hospital (SOS-6).
  package static let chooseContacts = Endpoint.post(
    "/sos/contacts", "chooseContacts", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Replaces one's emergency contacts, ten at most. Each new one is asked by mail whether they "
      + "agree; then they are told by mail, and by voice where the operator allows it.",
    body: .json(
      .object([.required("contacts", .array(of: .emergencyContact, countMax: 10))])),
    answers: [
      .message(
        "Settings updated",
        and: [
          .optional(
            "notAsked", .array(of: .email),
            "Contacts who are stored and not asked today: five mails in 24 hours ask an address "
              + "at most, because of all accounts."),
          .optional("notice", .text, "The same in plain words."),
        ])
    ],
    errors: [
      ErrorAnswer(
        .tooManyRequests, "Too many requests",
        "Contacts would get more than 30 mails in 24 hours because of this person, or one of them "
          + "a third that asks.")
    ])

  /// The link of a mail to a contact is opened (SOS-6).
  package static let openContactLink = Endpoint.get(
    "/sos/contact", "openContactLink", at: .data4help, for: .anyone,
    "Says of whom one is an emergency contact, and uses nothing up; browsers get a page on which "
      + "one agrees or declines. Off the list, or while AutomatedSOS is off, one can only decline.",
    query: [.required("token", .text, "The token of the mail.")],
    answers: [
      .json(
        .object([
          .required("message", .oneOf(["Link valid"])),
          .optional(
            "full_name", .text,
            "Left out once the contact is off the list, and while AutomatedSOS is off."),
          .required("state", .oneOf(["asked", "agreed", "declined"])),
          .required(
            "mayAgree", .boolean,
            "Whether this link agrees; if not, it declines. It agrees to the telephone that its "
              + "mail named, as long as the list has it."),
        ])),
      .other("text/html", "The page, where HTML is preferred."),
    ], errors: [.deadContactLink])

  /// A contact answers (SOS-6).
  package static let answerAsContact = Endpoint.post(
    "/sos/contact", "answerAsContact", at: .data4help, for: .anyone,
    "Agrees to be an emergency contact, or declines; uses up every link that was mailed before. "
      + "Every link declines.",
    body: .json(
      .object([
        .required("token", .text, "The token of the mail."), .required("agree", .boolean),
      ])),
    answers: [.message("Action successful")],
    errors: [
      .deadContactLink,
      ErrorAnswer(
        .conflict, "Wrong state",
        "The link can only decline: its mail named another telephone or none, the contact is off "
          + "the list, or AutomatedSOS is off."),
    ], rate: .guarded)

  /// Monitoring rests (SOS-9).
  package static let pauseMonitoring = Endpoint.post(
    "/sos/pause", "pauseMonitoring", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Judges no readings until a time; an emergency that is under way goes on.",
    body: .json(
      .object([
        .required(
          "until", .dateTime.nullable,
          "The end of the pause, 366 days ahead at most; null resumes at once.")
      ])),
    answers: [
      .message("Settings updated", and: [.required("pausedUntil", .dateTime.nullable)])
    ])
}

extension JSONSchema {
  /// Somebody who is told of an emergency.
  fileprivate static let emergencyContact = object(contactFields)

  /// The same with what they have said.
  fileprivate static let askedContact = object(
    contactFields + [
      .required(
        "state", .oneOf(["asked", "agreed", "declined", "not asked"]),
        "What the contact has said; until they agree one mail of an emergency reaches them.")
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
