import Domain
import HTTP
import JSON

extension Endpoint {
  /// Asking one person for data, answering, and what follows (R10-R24, REQ-1).
  static let singleRequests: [Endpoint] = [
    .sendSingle, .priceOfRequest, .listForSingleUser, .listForThirdParty, .answerRequest,
    .deliveredData,
    .mailData, .endByThirdParty, .endBySingleUser,
  ]

  /// A third party asks (R10, R11, R18-R20, R22, REQ-6).
  package static let sendSingle = Endpoint.post(
    "/req/tp/sendSingle", "sendSingle", at: .data4help,
    for: .thirdParty(
      otherwise: ErrorAnswer(
        .unauthorized, "Wrong parameters",
        "The token is wrong, the user unknown or inactive, or there is no such data.")),
    "Asks one single user, named by email or by fiscal code, for data.",
    body: .json(.object(askedOfOne)),
    answers: [
      .json(.object([.required("reqID", .uuid), .required("status", .requestStatus)]))
    ])

  /// What a request will cost (REQ-7).
  package static let priceOfRequest = Endpoint.post(
    "/req/tp/price", "priceOfRequest", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "What a request will cost, by the body that `sendSingle` or, with `searchParams`, `sendGroup` "
      + "takes. Nothing is asked of anybody, and whether the request will find data is not told.",
    body: .json(
      .object(
        askedOfOne + [
          .optional(
            "searchParams", .array(of: .string(lengthMin: 1), countMax: 50), "Of a group request."),
          .optional("groupBy", .oneOf(["ageBand", "sex", "region"]), "Of a group request."),
        ])),
    answers: [
      .json(
        .object([
          .required("kind", .oneOf(["single", "group"])),
          .required(
            "amountDue", .count,
            "In cents, due once the person has accepted or the group was approved."),
          .required("currency", .text),
        ]))
    ]
  ).withoutKey().onlyReading()

  /// The user's list (R12).
  package static let listForSingleUser = Endpoint.get(
    "/req/single/list", "listForSingleUser", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong token")),
    "The requests for one's own data, newest first.",
    query: QueryParameter.paging + [
      .optional(
        "status", .words(SingleRequestStatus.allCases.map(\.rawValue)),
        "Those of these statuses, separated by commas; all if left out.")
    ],
    answers: [
      .list(
        "requests",
        of: [
          .required("email", .text, "Of the third party; `deleted account` once it is gone."),
          .required("piva", .text, "Of the third party; `deleted account` once it is gone."),
          .required("company_name", .text, "`deleted account` once the third party is gone."),
          .required(
            "company_description", .string(lengthMin: 0, lengthMax: nil),
            "Empty once the third party is gone."),
          .required("preconfirmed", .boolean, "Accepted in advance, by one's list."),
          .required(
            "kind", .oneOf(["single", "check-in"]),
            "`check-in`: of a run that one has joined, on behalf of its organiser. `expiresAt` is "
              + "until when to answer."),
          .optional("runID", .runNumber, "Of a check-in: the run."),
          .optional("code", .text, "Of a check-in: the code of the run."),
          .optional("runName", .text, "Of a check-in: what the run is called now."),
          .optional("startTime", .dateTime, "Of a check-in: the start of the run."),
          .optional(
            "organiserSees", .array(of: .text),
            "Of a check-in: what the organiser learns of one, beside the types, once it is "
              + "accepted: name and email."),
        ] + requestFields,
        and: [
          .required("pending", .count, "How many requests wait for an answer."),
          .required(
            "followers", .count, "How many third parties have a subscription that is running."),
        ])
    ])

  /// The third party's list.
  package static let listForThirdParty = Endpoint.get(
    "/req/tp/list", "listForThirdParty", at: .data4help,
    for: .thirdParty(otherwise: .forbidden("Wrong parameters")),
    "The requests one has sent, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "requests",
        of: [
          .required("kind", .oneOf(["single", "group"])),
          .optional(
            "email", .text,
            "Where it was asked by email; `deleted account` once the person is gone."),
          .optional(
            "fc", .text,
            "Where it was asked by fiscal code; `deleted account` once the person is gone."),
          .required("searchParams", .array(of: .text)),
          .optional("groupBy", .text, "Of a group request that is broken down."),
        ] + requestFields + [
          .required("amountDue", .count, "In cents."), .required("currency", .text),
        ])
    ])

  /// The user answers (R13).
  package static let answerRequest = Endpoint.post(
    "/req/single/choice", "answerRequest", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Accepts or declines a request, also in part: fewer types, a shorter time.",
    body: .json(
      .object([
        .required("reqID", .uuid),
        .required("choice", .oneOf(["accept", "decline"])),
        .optional("dataTypes", .array(of: .dataType, countMin: 1, countMax: 100)),
        .optional("duration", .integer(1...315_576_000)),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(
        .forbidden, "Wrong parameters", "The request is unknown, another's or answered already.")
    ])

  /// The third party takes the data (R14, R23, R24).
  package static let deliveredData = Endpoint.get(
    "/req/tp/data", "deliveredData", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "The samples of an accepted request, oldest number first; a subscription reads on with `next`.",
    query: [
      .required("reqID", .uuid, "The request."),
      .optional(
        "format", .word(["json", "csv", "ndjson", "fhir"]),
        "`json` if left out; of a group `json` or `csv`."),
      .optional("cursor", .text, "Where the page before ended: its `next`."),
    ],
    answers: [
      .json(.anyOf([deliveredSamples, releasedGroup])),
      .other("text/csv", "The same columns, whole, with a header line."),
      .other("application/x-ndjson", "The same objects, whole, one a line."),
      .other("application/fhir+json", "A FHIR R4 bundle of observations, whole."),
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No request of yours has this identifier."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The request was not accepted, the user ended it, or it ended before it was paid."),
      unpaid,
    ])

  /// The third party has the data sent to its own address (R24).
  package static let mailData = Endpoint.post(
    "/req/tp/mail", "mailData", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Sends what a request gives by mail: up to 1 MiB as a file, more as a link that needs a login.",
    body: .json(
      .object([
        .required("reqID", .uuid, "The request, single or group."),
        .required(
          "format", .oneOf(["json", "csv", "ndjson", "fhir"]), "Of a group `json` or `csv`."),
      ])),
    answers: [
      .json(
        .object([
          .required("message", .text),
          .required("sentAs", .oneOf(["attachment", "link"]), "What the mail holds."),
        ]))
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "No request of yours has this identifier."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The request was not accepted, gives nothing yet, or ended before it was paid."),
      unpaid,
    ])

  /// The third party ends it (R21).
  package static let endByThirdParty = ending(
    "/req/tp/end", "endByThirdParty", for: .thirdParty(otherwise: .wrongToken))

  /// The user ends it (R21).
  package static let endBySingleUser = ending(
    "/req/single/end", "endBySingleUser", for: .singleUser(otherwise: .wrongToken))

  private static func ending(
    _ path: String, _ name: StaticString, for caller: Caller
  ) -> Endpoint {
    .post(
      path, name, at: .data4help, for: caller,
      "Ends a subscription, or takes an accepted request back.",
      body: .json(.object([.required("reqID", .uuid)])),
      answers: [.message("Action successful")],
      errors: [
        ErrorAnswer(.notFound, "Not found", "No request of yours has this identifier."),
        ErrorAnswer(.conflict, "Wrong state", "The request is not in force."),
      ])
  }

  private static let deliveredSamples = JSONSchema.object([
    .required("reqID", .uuid),
    .required(
      "samples",
      .array(
        of: .object([
          .required("seq", .count, "The third party's own number."),
          .required("dataType", .dataType),
          .required("value", .anyOf([.number(), .text])), .required("unit", .text),
          .required("timestamp", .dateTime), .required("device", .text.nullable),
        ]))),
    .optional("next", .text, "Pass it as `cursor` for more, now or later."),
  ])

  /// What one person is asked for.
  private static let askedOfOne: [JSONSchema.Property] = [
    .optional(
      "reqID", JSONSchema.uuid.emptyable, "Chosen by the client, so that asking again asks once."),
    .optional("email", JSONSchema.email.emptyable, "Of the user; this or `fc`."),
    .optional("fc", JSONSchema.fiscalCode.emptyable, "Of the user; this or `email`."),
    .required("dataTypes", .array(of: .dataType, countMin: 1, countMax: 100)),
    .required("subscribing", .boolean, "Whether new data is wanted too."),
    .optional(
      "duration", JSONSchema.integer(0...315_576_000).emptyable,
      "Seconds of the subscription; 0 where nothing subscribes."),
    .optional("from", .dateTime), .optional("to", .dateTime),
  ]

  private static let requestFields: [JSONSchema.Property] = [
    .required("reqID", .uuid), .required("dataTypes", .array(of: .dataType)),
    .required("status", .requestStatus), .required("subscribing", .boolean),
    .required("duration", .count, "In seconds; 0 where none was asked for."),
    .required("createdAt", .dateTime), .required("expiresAt", .dateTime.nullable),
    .required("acceptedTypes", .array(of: .dataType).nullable),
    .required("from", .dateTime.nullable), .required("to", .dateTime.nullable),
    .optional("endsAt", .dateTime, "When an accepted subscription ends by itself."),
    .optional("reason", .text, "Why it ended."),
  ]
}

extension Answer {
  /// A page of a list.
  static func list(
    _ name: String, of properties: [JSONSchema.Property], and more: [JSONSchema.Property] = []
  ) -> Answer {
    .json(
      .object(
        [
          .required(name, .array(of: .object(properties))),
          .optional("next", .text, "There is more: pass it as `cursor`."),
        ] + more))
  }
}

extension JSONSchema {
  static let requestStatus = oneOf([
    "pending", "accepted", "declined", "expired", "ended", "payment due", "approved", "refused",
  ])
}
