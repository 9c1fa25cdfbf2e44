import Domain
import JSON

extension Endpoint {
  /// Uploading and looking at one's own data (R6-R9, R15-R17, DAT-4, DAT-5), and who got it
  /// (REQ-5).
  static let healthData: [Endpoint] = [
    .upload, .statistics, .series, .compare, .quota, .accesses,
  ]

  /// Samples come in (R6-R9).
  package static let upload = Endpoint.post(
    "/data/upload", "upload", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Stores samples; what was stored already is not stored twice, and of a batch with a mistake "
      + "nothing is stored. AutomatedSOS judges what can be read of it in any case.",
    body: .json(
      .object([
        .required("dataTypes", .array(of: .dataType, countMin: 1, countMax: 10_000)),
        .required(
          "values", .array(of: .anyOf([.string(), .number()]), countMin: 1, countMax: 10_000),
          "One for each data type, as a string or a number. "
            + DataType.allCases.map(\.meaning).joined(separator: "; ")
            + ". A systolic pressure stands above the diastolic one of the same time. Heart rates "
            + "from 0 to 19 are judged by AutomatedSOS, and not stored."),
        .required(
          "timestamp", .array(of: .dateTime, countMin: 1, countMax: 10_000),
          "One for each data type: from 1900 to five minutes ahead."),
        .optional(
          "onBody", .array(of: .boolean.nullable, countMin: 1, countMax: 10_000),
          "One for each data type: whether the device was worn; null where it does not say."),
      ])),
    answers: [
      .message(
        "Action successful",
        and: [
          .required("stored", .count), .required("duplicates", .count),
          .required(
            "disabled", .count,
            "Not stored: the type is switched off, or another device provides it."),
          .required("paused", .count, "Not stored: collection is paused."),
          .required("dropped", .count, "Older samples that made way."),
          .required(
            "sensorFaults", .count, "Heart rates from 0 to 19: judged, and never stored."),
        ])
    ]
  ).forDevices().forUploads().forReadings()

  /// Mean, median and the rest (R16, R17).
  package static let statistics = Endpoint.get(
    "/data/stats", "statistics", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Statistics of one's own samples by data type.",
    query: QueryParameter.period + [
      .optional("types", .dataTypes, "The data types; all that have samples if left out.")
    ],
    answers: [
      .json(
        .object([
          .required(
            "dataTypes",
            .array(
              of: .object([
                .required("parameter", .dataType), .required("unit", .text),
                .required("date", .integer(), "Days since 1970-01-01 of the newest sample."),
                .required("count", .count),
                .required("mean", .number()), .required("median", .number()),
                .required("p5", .number()), .required("p25", .number()),
                .required("p75", .number()), .required("p95", .number()),
                .required("variance", .number().nullable, "Of the sample, n − 1."),
                .required("stddev", .number().nullable),
                .required("stderr", .number().nullable),
                .required("min", .number()), .required("max", .number()),
                .optional("tooFew", .boolean, "True with one sample."),
              ])))
        ]))
    ])

  /// A data type over time (R15, R17).
  package static let series = Endpoint.get(
    "/data/series", "series", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "One data type's history, raw or by hour, day, week or month; oldest first.",
    query: [.required("type", .dataType, "The data type.")] + QueryParameter.period + [
      .optional(
        "granularity", .word(["raw", "hour", "day", "week", "month"]), "`raw` if left out."),
      .optional("cursor", .text, "Where the page before ended: its `next`."),
    ],
    answers: [
      .json(
        .object([
          .required("type", .dataType), .required("unit", .text),
          .required(
            "points",
            .array(
              of: .object([
                .required("time", .dateTime),
                .optional("value", .anyOf([.number(), .text]), "Raw points only."),
                .optional(
                  "device", .text.nullable,
                  "Raw points only: the `deviceID`; null for what was entered by hand."),
                .optional("count", .count), .optional("mean", .number()),
                .optional("min", .number()), .optional("max", .number()),
              ]))),
          .optional("next", .text, "There is more: pass it as `cursor`."),
        ]))
    ])

  /// One's own values beside those of people of the same age (DAT-4).
  package static let compare = Endpoint.get(
    "/data/compare", "compare", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "One's own values of the last 30 closed days beside the mean of people of the same age band, "
      + "where that rests on more than 1000 people, and the reference range of the age. Not a "
      + "medical device.",
    query: [.required("type", .dataType, "The data type, one of numbers.")],
    answers: [
      .json(
        .object([
          .required("type", .dataType), .required("unit", .text),
          .required("from", .dateTime), .required("to", .dateTime),
          .required("ageBand", .oneOf(AgeBand.all.map(\.description))),
          .required(
            "own",
            JSONSchema.object([
              .required("mean", .number(), "Of the days' values."),
              .required("mark", .mark),
              .required(
                "days",
                .array(
                  of: .object([
                    .required("date", .date),
                    .required(
                      "value", .number(), "The day's mean; the sum of a type that adds up."),
                    .required("mark", .mark),
                  ]))),
            ]).nullable, "Null without data of one's own in the period."),
          .optional(
            "ownMissing", .oneOf(OwnMissing.allCases.map(\.rawValue)),
            "Why `own` is null: no sample of the type is stored; the type is switched off; all "
              + "samples are of days that are not closed yet; all are older than the period."),
          .required(
            "others",
            JSONSchema.object([
              .required("people", .count, "About how many, in tens."), .required("mean", .number()),
              .required("releasedAt", .dateTime),
            ]).nullable, "Null unless it rests on more than 1000 people."),
          .optional("reason", .oneOf(["too few people"]), "Why `others` is null."),
          .required(
            "reference",
            JSONSchema.object([
              .required("from", .number().nullable), .required("to", .number()),
              .required("source", .text),
            ]).nullable, "Null where no range is known for the type and the age."),
        ]))
    ])

  /// The room (DAT-5).
  package static let quota = Endpoint.get(
    "/data/quota", "quota", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "How much of the room for samples is used.",
    answers: [
      .json(
        .object([
          .required("bytesUsed", .count), .required("bytesMax", .count),
          .required("oldest", .dateTime.nullable, "The oldest sample's time."),
        ]))
    ])

  /// Who got what and when (REQ-5, NFR-6).
  package static let accesses = Endpoint.get(
    "/data/accesses", "accesses", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Every delivery of one's data to somebody else, emergencies included, newest first; "
      + "on request added up.",
    query: QueryParameter.paging + [
      .optional("by", .word(["day"]), "Adds deliveries up by recipient and day: `days`.")
    ],
    answers: [
      .json(.anyOf([accessesOneByOne, accessesByDay]))
    ])

  private static let accessesByDay = JSONSchema.object([
    .required(
      "days",
      .array(
        of: .object([
          .required("date", .date),
          .optional(
            "company_name", .text,
            "`deleted account` once the third party is gone; left out for emergency contacts and "
              + "the emergency number, which are added up together."),
          .optional("piva", .text, "`deleted account` once; otherwise as `company_name`."),
          .required("dataTypes", .array(of: .dataType)),
          .required("samples", .count), .required("deliveries", .count),
        ])), "With `by=day`; today's sums grow."),
    .optional("next", .text),
  ])

  private static let accessesOneByOne = JSONSchema.object([
    .required(
      "accesses",
      .array(
        of: .object([
          .required("number", .count), .required("time", .dateTime),
          .optional(
            "company_name", .text,
            "`deleted account` once the third party is gone; left out for an emergency "
              + "contact and for the emergency number."),
          .optional("piva", .text, "`deleted account` once; otherwise as `company_name`."),
          .optional("reqID", .uuid), .optional("episodeID", .uuid, "Of an emergency."),
          .optional("contact", .text, "The name of an emergency contact."),
          .required("dataTypes", .array(of: .dataType)),
          .required("samples", .count),
          .required(
            "format", .text,
            "`name and email`: of a runner who checked in, to the organiser; no samples."),
        ]))),
    .optional("next", .text),
  ])
}

extension JSONSchema {
  static let count = integer(minimum: 0)

  /// Where a value stands to the reference range; null without one.
  fileprivate static let mark = oneOf(ReferenceRange.Mark.allCases.map(\.rawValue)).nullable
}
