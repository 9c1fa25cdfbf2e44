import HTTP
import JSON

extension Endpoint {
  /// Asking for the statistics of a group (R25-R32).
  static let groupRequests: [Endpoint] = [.sendGroup]

  /// A third party asks for a group.
  package static let sendGroup = Endpoint.post(
    "/req/tp/sendGroup", "sendGroup", at: .data4help,
    for: .thirdParty(otherwise: .forbidden("Wrong parameters")),
    "Asks for statistics of the people who match every search parameter: never rows about a "
      + "person, and only of more than 1000 people. Figures are blurred by as much as a few people "
      + "can move them: those of a group that is hardly larger are coarse.",
    body: .json(
      .object([
        .optional(
          "reqID", JSONSchema.uuid.emptyable,
          "Chosen by the client, so that asking again asks once."),
        .required("dataTypes", .array(of: .dataType, countMin: 1, countMax: 100)),
        .required(
          "searchParams", .array(of: .string(lengthMin: 1), countMin: 1, countMax: 50),
          "Each name op value, as age>=25, sex=F, area=45.4642,9.1900,5000 or heartRate<100."),
        .optional("groupBy", .oneOf(["ageBand", "sex", "region"]), "Breaks the answer down."),
        .required("subscribing", .boolean, "Whether later days are wanted too."),
        .optional(
          "duration", JSONSchema.integer(0...315_576_000).emptyable,
          "Seconds of the subscription; 0 where nothing subscribes."),
        .optional("from", .dateTime, "Whole days from here on; 30 closed days if left out."),
        .optional("to", .dateTime),
      ])),
    answers: [
      .json(
        .object([
          .required("reqID", .uuid),
          .required("status", .oneOf(["approved", "refused", "payment due"])),
          .optional("reason", .oneOf(["too few people", "no data"])),
        ]))
    ])

  /// What `GET /req/tp/data` gives of a group request.
  static let releasedGroup = JSONSchema.object([
    .required("reqID", .uuid),
    .optional("people", .count, "About how many people contribute, in tens."),
    .optional("from", .dateTime), .optional("to", .dateTime),
    .optional("releasedAt", .dateTime),
    .required("dataTypes", .array(of: .object(groupStatistics + [.required("days", days)]))),
    .optional(
      "groups", .array(of: .object([.required("group", .text)] + groupStatistics)),
      "The parts of the breakdown with more than 1000 people, for each data type."),
    .optional("next", .text, "Pass it as `cursor` for the next window, now or later."),
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
