import HTTP
import JSON

// Emergencies of monitored people, and the hospitals that answer them (SOS-2 to SOS-9, SOS-12).
extension Endpoint {
  private static let notThere = ErrorAnswer(
    .notFound, "Not found", "There is no such emergency of one's own.")
  private static let episode = JSONSchema.Property.required("episodeID", .uuid)

  /// A device that detected an emergency itself says so (SOS-10).
  package static let raiseAlert = Endpoint.post(
    "/sos/alert", "raiseAlert", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Has readings judged at once, as an upload does, and names the emergency that they belong to.",
    body: .json(
      .object([
        .required("rule", .oneOf(Array(emergencyRules.dropFirst())), "Which rule is broken."),
        .required(
          "readings",
          .array(
            of: .object([
              .required("dataType", .dataType), .required("value", .anyOf([.text, .number()])),
              .required("timestamp", .dateTime),
              .optional(
                "onBody", .boolean.nullable,
                "Whether the device was worn; null where it does not say."),
            ]), countMin: 1, countMax: 100)),
        .optional("coordinate", .string(lengthMax: 64), "Where the person is, as `lat,lon`."),
        .optional(
          "last", .boolean,
          "True where the device will send no other reading: the person is asked at once, and no "
            + "answer within the window calls for help."),
      ])),
    answers: [
      .json(
        .object([
          episode, .required("stage", .emergencyStage),
          .optional(
            "quietUntil", .dateTime,
            "Where it is over and nobody is called for these readings: before, readings of the "
              + "rule raise no other one. Who needs help calls 112."),
        ]))
    ],
    errors: [
      ErrorAnswer(
        .conflict, "Wrong state",
        "AutomatedSOS is switched off or paused, or none of the readings breaks the rule."),
      ErrorAnswer(
        .forbidden, "Wrong parameters", "The device was not paired for a reading's type."),
    ]
  ).forDevices().withoutKey().forAlarms().followingAccount().forReadings()

  /// A person aborts before anybody is called (SOS-4).
  package static let abortEmergency = Endpoint.post(
    "/sos/abort", "abortEmergency", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Aborts an emergency, or a drill, within its window: nobody is called.",
    body: .json(.object([episode])), answers: [.message("Action successful")],
    errors: [
      notThere,
      ErrorAnswer(.conflict, "Wrong state", "Too late: somebody is called, or it is over."),
    ]
  ).forDevices().forAlarms().followingAccount()

  /// A person reports a false alarm after the call (SOS-4).
  package static let reportFalseAlarm = Endpoint.post(
    "/sos/falseAlarm", "reportFalseAlarm", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Tells everybody who was called that it was a false alarm.",
    body: .json(.object([episode])), answers: [.message("Action successful")],
    errors: [
      notThere, ErrorAnswer(.conflict, "Wrong state", "Nobody was called, or it is over."),
    ]
  ).forAlarms()

  /// A person tries the chain without a call.
  package static let beginDrill = Endpoint.post(
    "/sos/drill", "beginDrill", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Warns and counts down as in an emergency, marked as a drill, and calls nobody.",
    body: .none, answers: [.json(.object([episode]))],
    errors: [
      ErrorAnswer(
        .conflict, "Wrong state", "AutomatedSOS is switched off, or a drill is under way.")
    ])

  /// What happened (SOS-8).
  package static let emergencies = Endpoint.get(
    "/sos/history", "emergencies", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "One's own emergencies with readings, position, the time of every stage and who was called, "
      + "newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "episodes",
        of: [
          episode, .required("stage", .emergencyStage),
          .required("rule", .oneOf(emergencyRules)), .required("drill", .boolean),
          .required("suspectedAt", .dateTime), .required("abortUntil", .dateTime),
          .optional("askedAt", .dateTime), .optional("confirmedAt", .dateTime),
          .optional("dispatchedAt", .dateTime), .optional("acknowledgedAt", .dateTime),
          .optional("endedAt", .dateTime), .optional("outcome", .emergencyOutcome),
          .required("readings", .array(of: .emergencyReading)),
          .required("position", .emergencyPosition),
          .required(
            "calls",
            .array(
              of: .object([
                .required(
                  "hospital", .text.nullable, "Null for the emergency number and contacts."),
                .optional("contact", .text, "The name of the emergency contact."),
                .required("voice", .boolean, "False for a mail to a contact."),
                .optional("allClear", .boolean, "True for a mail that says that it is over."),
                .required("calledAt", .dateTime),
                .optional("acknowledgedAt", .dateTime),
                .optional(
                  "withdrawnAt", .dateTime,
                  "Hung up while it rang or was heard: the emergency was over."),
              ]))),
        ])
    ])

  // MARK: Hospitals

  private static let notApproved = ErrorAnswer(
    .forbidden, "Not approved", "The operator has not approved this third party as a hospital.")
  private static let notCalled = ErrorAnswer(
    .notFound, "Not found", "This third party was not called for such an emergency.")

  /// A hospital comes on duty, or goes off.
  package static let chooseDuty = Endpoint.post(
    "/sos/duty", "chooseDuty", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Says whether one answers emergencies from now on, and where one is.",
    body: .json(
      .object([
        .required("onDuty", .boolean),
        .optional("coordinate", .string(lengthMax: 64), "As `lat,lon`; needed to be on duty."),
      ])),
    answers: [.message("Settings updated")], errors: [notApproved])

  /// What a hospital was called for.
  package static let emergencyCalls = Endpoint.get(
    "/sos/calls", "emergencyCalls", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "The emergencies that one was called for, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "calls",
        of: [
          episode, .required("stage", .emergencyStage),
          .required("rule", .oneOf(emergencyRules)),
          .required("suspectedAt", .dateTime), .optional("confirmedAt", .dateTime),
          .required("calledAt", .dateTime), .required("call", .count, "1: the first called."),
          .optional("acknowledgedAt", .dateTime, "By this hospital."),
          .required(
            "person",
            .object([
              .required("full_name", .text), .optional("birthdate", .date),
              .optional("sex", .text), .optional("phone", .text),
            ])),
          .required("readings", .array(of: .emergencyReading)),
          .required("position", .emergencyPosition),
        ])
    ], errors: [notApproved])

  /// A hospital takes an emergency on.
  package static let acknowledgeCall = Endpoint.post(
    "/sos/acknowledge", "acknowledgeCall", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Takes an emergency on, so that nobody else is called; others who were called are told.",
    body: .json(.object([episode])), answers: [.message("Action successful")],
    errors: [
      notApproved, notCalled,
      ErrorAnswer(.conflict, "Wrong state", "Another one has it, or it is over."),
    ]
  ).forAlarms()

  /// A hospital says what came of it.
  package static let closeCall = Endpoint.post(
    "/sos/outcome", "closeCall", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Closes an emergency that one has taken on; everybody who was told learns of it.",
    body: .json(.object([episode, .required("outcome", .emergencyOutcome)])),
    answers: [.message("Action successful")],
    errors: [
      notApproved, notCalled,
      ErrorAnswer(.conflict, "Wrong state", "It is over, or one has not acknowledged it."),
    ]
  ).forAlarms()

  private static let emergencyRules = [
    "drill", "heartRateLow", "heartRateHigh", "bloodPressureLow", "bloodPressureHigh", "fall",
    "shaking", "lossOfPulse",
  ]
}

extension JSONSchema {
  fileprivate static let emergencyStage = oneOf([
    "suspected", "asked", "confirmed", "dispatched", "acknowledged", "closed", "withdrawn",
    "aborted", "false alarm", "drill over", "unanswered",
  ])
  fileprivate static let emergencyOutcome = oneOf([
    "helped", "nobody found", "false alarm", "handed over",
  ])
  fileprivate static let emergencyReading = object([
    .required("dataType", .dataType), .required("value", .text), .required("unit", .text),
    .required("timestamp", .dateTime),
    .required("basis", .boolean, "Whether the emergency rests on it."),
  ])
  fileprivate static let emergencyPosition = object([
    .required("coordinate", .text), .required("time", .dateTime),
    .required("stale", .boolean, "Too old to rely on."),
  ]).nullable
}
