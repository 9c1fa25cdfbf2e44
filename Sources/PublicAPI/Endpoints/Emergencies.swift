import Domain
import HTTP
import JSON

// Emergencies of monitored people, and the hospitals that answer them (SOS-2 to SOS-9, SOS-12).
extension Endpoint {
  private static let notThere = ErrorAnswer(
    .notFound, "Not found", "You have no emergency with this identifier.")
  private static let emergencyID = JSONSchema.Property.required("episodeID", .uuid)

  /// Reports an emergency that a device has detected itself (SOS-10).
  package static let raiseAlert = Endpoint.post(
    "/sos/alert", "raiseAlert", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Evaluates readings at once, as an upload does, and returns the emergency that they "
      + "belong to.",
    body: .json(
      .object([
        .required("rule", .oneOf(Array(emergencyRules.dropFirst())), "The violated rule."),
        .required(
          "readings",
          .array(
            of: .object([
              .required("dataType", .dataType), .required("value", .anyOf([.text, .number()])),
              .required("timestamp", .dateTime),
              .optional(
                "onBody", .boolean.nullable,
                "Whether the device was worn; null if unknown."),
            ]), countMin: 1, countMax: 100)),
        .optional("coordinate", .string(lengthMax: 64), "The person's position as `lat,lon`."),
        .optional(
          "last", .boolean,
          "True if the device will send no further reading: the person is asked at once, "
            + "and help is called without an answer within the window."),
      ])),
    answers: [
      .json(
        .object([
          emergencyID, .required("stage", .emergencyStage),
          .optional(
            "quietUntil", .dateTime,
            "Set if the emergency is over and no call is made for these readings: until "
              + "this time, readings of the rule raise no new emergency. People who need help "
              + "call 112."),
        ]))
    ],
    errors: [
      ErrorAnswer(
        .conflict, "Wrong state",
        "AutomatedSOS is switched off or paused, or no reading violates the rule."),
      ErrorAnswer(
        .forbidden, "Wrong parameters", "The device is not paired for the type of a reading."),
    ]
  ).forDevices().withoutKey().forAlarms().followingAccount().forReadings()

  /// Aborts an emergency before the first call (SOS-4).
  package static let abortEmergency = Endpoint.post(
    "/sos/abort", "abortEmergency", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Aborts an emergency, or a drill, within its window: no call is made.",
    body: .json(EmergencyBody.self), answers: [.message("Action successful")],
    errors: [
      notThere,
      ErrorAnswer(.conflict, "Wrong state", "Too late: a call was made, or the emergency is over."),
    ]
  ).forDevices().forAlarms().followingAccount()

  /// Reports a false alarm after the call (SOS-4).
  package static let reportFalseAlarm = Endpoint.post(
    "/sos/falseAlarm", "reportFalseAlarm", at: .data4help,
    for: .singleUser(otherwise: .wrongToken),
    "Notifies all called hospitals and contacts of a false alarm.",
    body: .json(EmergencyBody.self), answers: [.message("Action successful")],
    errors: [
      notThere,
      ErrorAnswer(.conflict, "Wrong state", "No call was made, or the emergency is over."),
    ]
  ).forAlarms()

  /// Starts a drill, which makes no calls.
  package static let beginDrill = Endpoint.post(
    "/sos/drill", "beginDrill", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Warns and counts down as in an emergency, marked as a drill, but makes no call.",
    body: .none, answers: [.json(.object([emergencyID]))],
    errors: [
      ErrorAnswer(
        .conflict, "Wrong state", "AutomatedSOS is switched off, or a drill is under way.")
    ])

  /// Lists past and current emergencies (SOS-8).
  package static let emergencies = Endpoint.get(
    "/sos/history", "emergencies", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Your emergencies with readings, position, the time of every stage and the calls, "
      + "newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "episodes",
        of: [
          emergencyID, .required("stage", .emergencyStage),
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
                .optional("allClear", .boolean, "True for a mail about the end of the emergency."),
                .required("calledAt", .dateTime),
                .optional("acknowledgedAt", .dateTime),
                .optional(
                  "withdrawnAt", .dateTime,
                  "When the call was ended during ringing or playback because the "
                    + "emergency was over."),
              ]))),
        ])
    ])

  // MARK: Hospitals

  private static let notApproved = ErrorAnswer(
    .forbidden, "Not approved", "The operator has not approved this third party as a hospital.")
  private static let notCalled = ErrorAnswer(
    .notFound, "Not found", "This third party was not called for such an emergency.")

  /// Sets whether a hospital is on duty.
  package static let chooseDuty = Endpoint.post(
    "/sos/duty", "chooseDuty", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Sets whether you answer emergencies from now on, and your position.",
    body: .json(ChooseDutyBody.self),
    answers: [.message("Settings updated")], errors: [notApproved])

  /// Lists the emergencies for which a hospital was called.
  package static let emergencyCalls = Endpoint.get(
    "/sos/calls", "emergencyCalls", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "The emergencies for which you were called, newest first, and whether you are on duty.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "calls",
        of: [
          emergencyID, .required("stage", .emergencyStage),
          .required("rule", .oneOf(emergencyRules)),
          .required("suspectedAt", .dateTime), .optional("confirmedAt", .dateTime),
          .required("calledAt", .dateTime),
          .required("call", .count, "1 for the first call of the emergency."),
          .optional("acknowledgedAt", .dateTime, "When this hospital acknowledged it."),
          .required(
            "person",
            .object([
              .required("full_name", .text), .optional("birthdate", .date),
              .optional("sex", .text), .optional("phone", .text),
            ])),
          .required("readings", .array(of: .emergencyReading)),
          .required("position", .emergencyPosition),
        ],
        and: [
          .required("onDuty", .boolean, "Whether you answer emergencies now."),
          .optional("coordinate", .text, "Your position on duty, in the form `lat,lon`."),
        ])
    ], errors: [notApproved])

  /// Acknowledges an emergency for a hospital.
  package static let acknowledgeCall = Endpoint.post(
    "/sos/acknowledge", "acknowledgeCall", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "Acknowledges an emergency, which ends further calls; others that were called are notified.",
    body: .json(EmergencyBody.self), answers: [.message("Action successful")],
    errors: [
      notApproved, notCalled,
      ErrorAnswer(
        .conflict, "Wrong state", "Another recipient has acknowledged it, or it is over."),
    ]
  ).forAlarms()

  /// Closes an emergency with the outcome reported by the hospital.
  package static let closeCall = Endpoint.post(
    "/sos/outcome", "closeCall", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Closes an emergency that you have acknowledged; everybody notified of it is informed.",
    body: .json(CloseCallBody.self),
    answers: [.message("Action successful")],
    errors: [
      notApproved, notCalled,
      ErrorAnswer(.conflict, "Wrong state", "It is over, or you have not acknowledged it."),
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
    .required("basis", .boolean, "Whether this reading caused the emergency."),
  ])
  fileprivate static let emergencyPosition = object([
    .required("coordinate", .text), .required("time", .dateTime),
    .required("stale", .boolean, "Whether the position is too old to be reliable."),
  ]).nullable
}

/// A body that names an emergency: of `POST /sos/abort`, `/sos/falseAlarm` and `/sos/acknowledge`.
package struct EmergencyBody: JSONDocumented {
  /// The identifier of the emergency, which the service parses.
  package let emergencyID: String

  /// The fields.
  package static let document = JSONDocument(
    .required("episodeID", .uuid), make: EmergencyBody.init)
}

/// The body of `POST /sos/outcome`.
package struct CloseCallBody: JSONDocumented {
  /// The identifier of the emergency, which the service parses.
  package let emergencyID: String
  /// The name of the outcome, which the service parses.
  package let outcome: String

  /// The fields.
  package static let document = JSONDocument(
    .required("episodeID", .uuid), .required("outcome", .outcome), make: CloseCallBody.init)
}

/// The body of `POST /sos/duty`.
package struct ChooseDutyBody: JSONDocumented {
  /// Whether the hospital answers emergencies from now on.
  package let isOnDuty: Bool
  /// The position of the hospital; nil for the known one.
  package let coordinate: GeoPoint?

  /// The fields.
  package static let document = JSONDocument(
    .required("onDuty", .boolean),
    .optional("coordinate", .coordinate, "`lat,lon`; required on duty."),
    make: ChooseDutyBody.init)
}

extension JSONForm<String> {
  /// The name of the outcome of an emergency.
  fileprivate static var outcome: Self { Self(.emergencyOutcome) }
}
