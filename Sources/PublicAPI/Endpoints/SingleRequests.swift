import Domain
import HTTP
import JSON

extension Endpoint {
  /// Requests for the data of one person, answers, and delivery (R10-R24, REQ-1).
  static let singleRequests: [Endpoint] = [
    .sendSingle, .priceOfRequest, .listForSingleUser, .listForThirdParty, .answerRequest,
    .deliveredData,
    .mailData, .endByThirdParty, .endBySingleUser,
  ]

  /// Sends a third party's request (R10, R11, R18-R20, R22, REQ-6).
  package static let sendSingle = Endpoint.post(
    "/req/tp/sendSingle", "sendSingle", at: .data4help,
    for: .thirdParty(
      otherwise: ErrorAnswer(
        .unauthorized, "Wrong parameters",
        "The token is wrong, the user is unknown or inactive, or has no such data.")),
    "Requests data from a single user, identified by email or fiscal code.",
    body: .json(SendSingleBody.self),
    answers: [
      .json(.object([.required("reqID", .uuid), .required("status", .requestStatus)]))
    ])

  /// Returns the price of a request (REQ-7).
  package static let priceOfRequest = Endpoint.post(
    "/req/tp/price", "priceOfRequest", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Returns the price of a request with the body of `sendSingle` or, with `searchParams`, "
      + "`sendGroup`. No request is sent, and the response does not reveal whether it would "
      + "find data.",
    body: .json(PricedRequestBody.self),
    answers: [
      .json(
        .object([
          .required("kind", .oneOf(["single", "group"])),
          .required(
            "amountDue", .count,
            "In cents, due when the person accepts or the group is approved."),
          .required("currency", .text),
        ]))
    ]
  ).withoutKey().onlyReading()

  /// Lists the person's requests (R12).
  package static let listForSingleUser = Endpoint.get(
    "/req/single/list", "listForSingleUser", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong token")),
    "The requests for your data, newest first.",
    query: QueryParameter.paging + [
      .optional(
        "status", .choices(SingleRequestStatus.allCases.map(\.rawValue)),
        "Only requests with these statuses, separated by commas; by default all.")
    ],
    answers: [
      .list(
        "requests",
        of: [
          .required(
            "email", .text, "The third party's email; `deleted account` once it is deleted."),
          .required("piva", .text, "Its P.IVA; `deleted account` once it is deleted."),
          .required("company_name", .text, "`deleted account` once the third party is deleted."),
          .required(
            "company_description", .string(lengthMin: 0, lengthMax: nil),
            "Empty once the third party is deleted."),
          .required(
            "preconfirmed", .boolean,
            "Whether your list of trusted third parties accepted it in advance."),
          .required(
            "kind", .oneOf(["single", "check-in"]),
            "`check-in`: for a run that you have joined, on behalf of its organiser. "
              + "`expiresAt` is the deadline for the answer."),
          .optional("runID", .runNumber, "For a check-in: the run."),
          .optional("code", .text, "For a check-in: the code of the run."),
          .optional("runName", .text, "For a check-in: the current name of the run."),
          .optional("startTime", .dateTime, "For a check-in: the start of the run."),
          .optional(
            "organiserSees", .array(of: .text),
            "For a check-in: the data that the organiser receives after the acceptance in "
              + "addition to the types: name and email."),
        ] + requestFields,
        and: [
          .required("pending", .count, "The number of requests that await an answer."),
          .required(
            "followers", .count, "The number of third parties with an active subscription."),
        ])
    ])

  /// Lists the third party's requests.
  package static let listForThirdParty = Endpoint.get(
    "/req/tp/list", "listForThirdParty", at: .data4help,
    for: .thirdParty(otherwise: .forbidden("Wrong parameters")),
    "The requests that you have sent, newest first.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "requests",
        of: [
          .required("kind", .oneOf(["single", "group"])),
          .optional(
            "email", .text,
            "If the request named an email; `deleted account` once the person is deleted."),
          .optional(
            "fc", .text,
            "If the request named a fiscal code; `deleted account` once the person is deleted."),
          .required("searchParams", .array(of: .text)),
          .optional("groupBy", .text, "For a group request with a breakdown."),
        ] + requestFields + [
          .required("amountDue", .count, "In cents."), .required("currency", .text),
        ])
    ])

  /// Records the person's answer (R13).
  package static let answerRequest = Endpoint.post(
    "/req/single/choice", "answerRequest", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Accepts or declines a request; also in part, with fewer types or a shorter time.",
    body: .json(AnswerRequestBody.self),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(
        .forbidden, "Wrong parameters",
        "The request is unknown, belongs to another person, or was already answered."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The account is inactive, and accepts no requests except check-ins of runs."),
    ])

  /// Returns the data to the third party (R14, R23, R24).
  package static let deliveredData = Endpoint.get(
    "/req/tp/data", "deliveredData", at: .data4help,
    for: .thirdParty(otherwise: .wrongToken),
    "The samples of an accepted request in ascending order of their numbers; a "
      + "subscription continues with `next`.",
    query: [
      .required("reqID", .uuid, "The request."),
      .optional(
        "format", .choice(["json", "csv", "ndjson", "fhir"]),
        "`json` by default; for a group `json` or `csv`."),
      .optional("cursor", .text, "The `next` of the previous page."),
    ],
    answers: [
      .json(.anyOf([deliveredSamples, releasedGroup])),
      .other("text/csv", "The same columns, complete, with a header line."),
      .other("application/x-ndjson", "The same objects, complete, one per line."),
      .other("application/fhir+json", "A FHIR R4 bundle of observations, complete."),
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You have no request with this identifier."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The request was not accepted, was ended by the user, or ended before it was paid."),
      unpaid,
    ]
  ).revocable()

  /// Mails the data to the third party's own address (R24).
  package static let mailData = Endpoint.post(
    "/req/tp/mail", "mailData", at: .data4help, for: .thirdParty(otherwise: .wrongToken),
    "Sends the data of a request by mail: up to 1 MiB as a file, more as a link that needs "
      + "a login.",
    body: .json(MailDataBody.self),
    answers: [
      .json(
        .object([
          .required("message", .text),
          .required("sentAs", .oneOf(["attachment", "link"]), "The form of the data in the mail."),
        ]))
    ],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You have no request with this identifier."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The request was not accepted, has no data yet, or ended before it was paid."),
      unpaid,
    ])

  /// Ends a request by the third party (R21).
  package static let endByThirdParty = ending(
    "/req/tp/end", "endByThirdParty", for: .thirdParty(otherwise: .wrongToken))

  /// Ends a request on behalf of the person (R21).
  package static let endBySingleUser = ending(
    "/req/single/end", "endBySingleUser", for: .singleUser(otherwise: .wrongToken))

  private static func ending(
    _ path: String, _ name: StaticString, for caller: Caller
  ) -> Endpoint {
    .post(
      path, name, at: .data4help, for: caller,
      "Ends a subscription, or withdraws an accepted request.",
      body: .json(RequestIdentifierBody.self),
      answers: [.message("Action successful")],
      errors: [
        ErrorAnswer(.notFound, "Not found", "You have no request with this identifier."),
        ErrorAnswer(.conflict, "Wrong state", "The request is not in force."),
      ])
  }

  private static let deliveredSamples = JSONSchema.object([
    .required("reqID", .uuid),
    .required(
      "samples",
      .array(
        of: .object([
          .required("seq", .count, "The number in the third party's own sequence."),
          .required("dataType", .dataType),
          .required("value", .anyOf([.number(), .text])), .required("unit", .text),
          .required("timestamp", .dateTime), .required("device", .text.nullable),
        ]))),
    .optional("next", .text, "Pass it as `cursor` for more, now or later."),
  ])

  private static let requestFields: [JSONSchema.Property] = [
    .required("reqID", .uuid), .required("dataTypes", .array(of: .dataType)),
    .required("status", .requestStatus), .required("subscribing", .boolean),
    .required("duration", .count, "The length of the subscription in seconds; 0 without one."),
    .required("createdAt", .dateTime), .required("expiresAt", .dateTime.nullable),
    .required("acceptedTypes", .array(of: .dataType).nullable),
    .required("from", .dateTime.nullable), .required("to", .dateTime.nullable),
    .optional("endsAt", .dateTime, "When an accepted subscription ends by itself."),
    .optional("reason", .text, "The reason for the end."),
  ]
}

extension Answer {
  /// One page of a list.
  static func list(
    _ name: String, of properties: [JSONSchema.Property], and more: [JSONSchema.Property] = []
  ) -> Answer {
    .json(
      .object(
        [
          .required(name, .array(of: .object(properties))),
          .optional("next", .text, "Present if there are more entries: pass it as `cursor`."),
        ] + more))
  }
}

extension JSONSchema {
  static let requestStatus = oneOf([
    "pending", "accepted", "declined", "expired", "ended", "payment due", "approved", "refused",
  ])
}
