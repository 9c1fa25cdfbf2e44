import Domain
import HTTP
import JSON
import Time

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
    body: .json(EnableSOSBody.self),
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
    "Sets your own thresholds, from the age of 18. Null restores the default for your age; "
      + "omitted thresholds are unchanged.",
    body: .json(ChooseThresholdsBody.self),
    answers: [.message("Settings updated")])

  /// Sets the emergency contacts, who are notified in addition to the hospital (SOS-6).
  package static let chooseContacts = Endpoint.post(
    "/sos/contacts", "chooseContacts", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Replaces your emergency contacts, at most ten. Each new contact is asked by mail to "
      + "agree; after that they are notified by mail, and by voice if the operator allows it.",
    body: .json(ChooseContactsBody.self),
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
    body: .json(ContactAnswerBody.self),
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
    body: .json(PauseUntilBody.self),
    answers: [
      .message("Settings updated", and: [.required("pausedUntil", .dateTime.nullable)])
    ])
}

extension JSONSchema {
  /// An emergency contact with the answer.
  fileprivate static let askedContact = object(
    EmergencyContactBody.document.properties + [
      .required(
        "state", .oneOf(["asked", "agreed", "declined", "not asked"]),
        "The contact's answer; before they agree, they receive only one mail per emergency.")
    ])
}

extension ErrorAnswer {
  fileprivate static let deadContactLink = ErrorAnswer(
    .unauthorized, "Wrong token", "The token is unknown or was used.")
}

/// The body of `POST /sos/enable`.
package struct EnableSOSBody: JSONDocumented {
  /// Whether emergency calls may be placed; false switches monitoring off.
  package let isPermitted: Bool
  /// The language of messages to others.
  package let language: Language

  /// The fields.
  package static let document = JSONDocument(
    .required(
      "callPermission", .boolean,
      "Whether emergency calls may be made on your behalf. False switches "
        + "AutomatedSOS off, and is refused while it is switched off."),
    .optional(
      "language", .enumCase, "The language of messages to others; Italian by default.",
      else: .standard),
    make: EnableSOSBody.init)
}

/// The body of `POST /sos/thresholds`: the changes of personal thresholds, at least one.
package struct ChooseThresholdsBody: JSONDocumented {
  /// BPM below which the heart rate is too low.
  package let heartRateLow: Change<Double>
  /// BPM above which it is too high at rest.
  package let heartRateHigh: Change<Double>
  /// mmHg below which the systolic pressure is too low.
  package let systolicLow: Change<Double>
  /// mmHg above which it is too high.
  package let systolicHigh: Change<Double>
  /// mmHg above which the diastolic pressure is too high.
  package let diastolicHigh: Change<Double>

  private static func checked(_ body: Self) throws(JSONError) -> Self {
    let changes = [
      body.heartRateLow, body.heartRateHigh, body.systolicLow, body.systolicHigh,
      body.diastolicHigh,
    ]
    guard !changes.allSatisfy(\.isKept) else {
      let names = document.properties.map(\.name).joined(separator: ", ")
      throw JSONError(
        .refused(sentence: "Name one of \(names), with a number, or null to remove it."),
        offset: 0, path: "heartRateHigh")
    }
    return body
  }

  /// The fields.
  package static let document = JSONDocument(
    .optional("heartRateLow", .changedNumber, "BPM, 30 to 55.", else: .keep),
    .optional("heartRateHigh", .changedNumber, "BPM at rest, 110 to 180.", else: .keep),
    .optional("systolicLow", .changedNumber, "mmHg, 70 to 100.", else: .keep),
    .optional("systolicHigh", .changedNumber, "mmHg, 150 to 200.", else: .keep),
    .optional("diastolicHigh", .changedNumber, "mmHg, 90 to 120.", else: .keep),
    make: { (low, high, systolicLow, systolicHigh, diastolicHigh) throws(JSONError) in
      try checked(
        ChooseThresholdsBody(
          heartRateLow: low, heartRateHigh: high, systolicLow: systolicLow,
          systolicHigh: systolicHigh, diastolicHigh: diastolicHigh))
    })
}

/// A person to notify of an emergency, in the body of `POST /sos/contacts`.
package struct EmergencyContactBody: JSONDocumented {
  /// The contact's name.
  package let name: FullName
  /// The address of mails.
  package let email: EmailAddress
  /// The telephone, if the contact may be called by voice.
  package let phone: PhoneNumber?

  /// The fields.
  package static let document = JSONDocument(
    .required("name", .fullName), .required("email", .email),
    .optional(
      "phone", .phone, "With its country and at least eight digits, such as +39 02 1234567."),
    make: EmergencyContactBody.init)
}

/// The body of `POST /sos/contacts`.
package struct ChooseContactsBody: JSONDocumented {
  /// The most contacts of a person.
  package static let countMax = 10

  /// The contacts, each email once.
  package let contacts: [EmergencyContactBody]

  /// Checks the content of a body.
  private init(contacts: [EmergencyContactBody]) throws(JSONError) {
    guard Set(contacts.map(\.email)).count == contacts.count else {
      throw JSONError(.refused(sentence: "Name each email once."), offset: 0, path: "contacts")
    }
    self.contacts = contacts
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("contacts", JSONForm<EmergencyContactBody>.document.list(countMax: countMax)),
    make: ChooseContactsBody.init)
}

/// The body of `POST /sos/contact`.
package struct ContactAnswerBody: JSONDocumented {
  /// The token of the mail, not yet verified.
  package let token: String
  /// Whether the contact agrees; otherwise declines.
  package let agrees: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("token", .text, "The token of the mail."), .required("agree", .boolean),
    make: ContactAnswerBody.init)
}

/// The body of `POST /sos/pause` and `POST /data/pause`.
package struct PauseUntilBody: JSONDocumented {
  /// The end of the pause; nil resumes.
  package let end: Instant?

  /// The fields.
  package static let document = JSONDocument(
    .required(
      "until", .dateTimeOrNull,
      "The end of the pause, at most 366 days ahead; null resumes at once."),
    make: PauseUntilBody.init)
}
