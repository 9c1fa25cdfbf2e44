import Domain
import JSON
import Time

extension Endpoint {
  /// Requests for the statistics of a group (R25-R32).
  static let groupRequests: [Endpoint] = [.sendGroup]

  /// Sends a third party's group request.
  package static let sendGroup = Endpoint.post(
    "/req/tp/sendGroup", "sendGroup", at: .data4help,
    for: .thirdParty(otherwise: .forbidden("Wrong parameters")),
    "Requests statistics of the people who match every search parameter: never rows about "
      + "one person, and only if more than 1000 people match. Noise hides the contribution of "
      + "a few people, so the figures of a group slightly above this limit are coarse.",
    body: .json(SendGroupBody.self),
    answers: [
      .json(
        .object([
          .required("reqID", .uuid),
          .required("status", .oneOf(["approved", "refused", "payment due"])),
          .optional("reason", .oneOf(["too few people", "no data"])),
        ]))
    ])

  /// The part of the `GET /req/tp/data` response for a group request.
  static let releasedGroup = JSONSchema.object([
    .required("reqID", .uuid),
    .optional("people", .count, "The approximate number of contributing people, rounded to tens."),
    .optional("from", .dateTime), .optional("to", .dateTime),
    .optional("releasedAt", .dateTime),
    .required("dataTypes", .array(of: .object(groupStatistics + [.required("days", days)]))),
    .optional(
      "groups", .array(of: .object([.required("group", .text)] + groupStatistics)),
      "The parts of the breakdown with more than 1000 people, for each data type."),
    .optional("next", .text, "Pass it as `cursor` for the next period, now or later."),
  ])

  private static let days = JSONSchema.array(
    of: .object([
      .required("date", .text), .required("people", .count), .required("mean", .number()),
    ]))

  private static let groupStatistics: [JSONSchema.Property] = [
    .required("parameter", .dataType), .required("unit", .text), .required("people", .count),
    .required("mean", .number()), .required("stddev", .number()), .required("p5", .number()),
    .required("p25", .number()), .required("median", .number()), .required("p75", .number()),
    .required("p95", .number()),
    .required(
      "histogram",
      .array(
        of: .object([
          .required("from", .number()), .required("to", .number()),
          .required("share", .number()),
        ]))),
  ]
}

/// The body of `POST /req/tp/sendGroup`.
package struct SendGroupBody: JSONDocumented {
  /// The identifier of the request, if the client chooses it.
  package let requestID: DataRequestID?
  /// The requested types.
  package let types: [DataType]
  /// The search parameters, which the domain parses.
  package let search: [String]
  /// The groups of the result.
  package let breakdown: GroupBreakdown?
  /// Whether later days are delivered as well.
  package let isSubscribing: Bool
  /// The length of the subscription; nil without one, even if a duration was sent.
  package let duration: RequestDuration?
  /// The start of the requested period.
  package let from: Instant?
  /// Its end.
  package let to: Instant?

  /// Checks the content of a body.
  init(
    _ requestID: DataRequestID?, types: [DataType], search: [String], breakdown: GroupBreakdown?,
    isSubscribing: Bool, seconds: Int?, from: Instant?, to: Instant?
  ) throws(JSONError) {
    self.requestID = requestID
    self.types = types
    self.search = search
    self.breakdown = breakdown
    self.isSubscribing = isSubscribing
    duration = try RequestDuration.stated(seconds: seconds, isSubscribing: isSubscribing)
    self.from = from
    self.to = to
  }

  /// The fields.
  package static let document = JSONDocument(
    .optional(
      "reqID", .chosenRequestID,
      "Chosen by the client, so that a repeated call creates only one request.", else: nil),
    .required("dataTypes", .dataTypes),
    .required(
      "searchParams", .searchParameters,
      "Each as name, operator and value, such as age>=25, sex=F, "
        + "area=45.4642,9.1900,5000 or heartRate<100."),
    .optional("groupBy", .breakdown, "Splits the result into these groups."),
    .required("subscribing", .boolean, "Whether to deliver later days as well."),
    .optional(
      "duration", .emptyableSeconds,
      "The length of the subscription in seconds; 0 without one.", else: nil),
    .optional("from", .dateTime, "Whole days from this time on; by default 30 closed days."),
    .optional("to", .dateTime),
    make: SendGroupBody.init)
}

extension JSONForm<[String]> {
  /// At least one search parameter, which the domain parses.
  fileprivate static var searchParameters: Self {
    JSONForm<String>(.string(lengthMin: 1))
      .list(countMin: 1, countMax: SearchParameter.countMax)
  }
}
