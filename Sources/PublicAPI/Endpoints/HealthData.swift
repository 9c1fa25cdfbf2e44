import Domain
import JSON

extension Endpoint {
  /// Uploading and reading the caller's data (R6-R9, R15-R17, DAT-4, DAT-5), and its recipients
  /// (REQ-5).
  static let healthData: [Endpoint] = [
    .upload, .statistics, .series, .compare, .quota, .accesses,
  ]

  /// Uploads samples (R6-R9).
  package static let upload = Endpoint.post(
    "/data/upload", "upload", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Stores samples. Samples already stored are not stored twice, and a batch with an "
      + "error is rejected as a whole. AutomatedSOS evaluates the readable part in any case.",
    body: .json(
      .object([
        .required("dataTypes", .array(of: .dataType, countMin: 1, countMax: 10_000)),
        .required(
          "values", .array(of: .anyOf([.string(), .number()]), countMin: 1, countMax: 10_000),
          "One for each data type, as a string or a number. "
            + DataType.allCases.map(\.meaning).joined(separator: "; ")
            + ". A systolic pressure must be above the diastolic one of the same time. Heart rates "
            + "from 0 to 19 are evaluated by AutomatedSOS, but not stored."),
        .required(
          "timestamp", .array(of: .dateTime, countMin: 1, countMax: 10_000),
          "One for each data type; from 1900 to five minutes in the future."),
        .optional(
          "onBody", .array(of: .boolean.nullable, countMin: 1, countMax: 10_000),
          "One for each data type: whether the device was worn; null if unknown."),
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
          .required("dropped", .count, "Older samples deleted because the quota was full."),
          .required(
            "sensorFaults", .count, "Heart rates from 0 to 19: evaluated but never stored."),
        ])
    ]
  ).forDevices().forUploads().forReadings()

  /// Statistics of samples, such as mean and median (R16, R17).
  package static let statistics = Endpoint.get(
    "/data/stats", "statistics", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Statistics of your samples by data type.",
    query: QueryParameter.period + [
      .optional("types", .dataTypes, "The data types; by default all with samples.")
    ],
    answers: [
      .json(
        .object([
          .required(
            "dataTypes",
            .array(
              of: .object([
                .required("parameter", .dataType), .required("unit", .text),
                .required(
                  "date", .integer(), "The day of the newest sample, in days since 1970-01-01."),
                .required("count", .count),
                .required("mean", .number()), .required("median", .number()),
                .required("p5", .number()), .required("p25", .number()),
                .required("p75", .number()), .required("p95", .number()),
                .required(
                  "variance", .number().nullable, "Sample variance with the divisor n − 1."),
                .required("stddev", .number().nullable),
                .required("stderr", .number().nullable),
                .required("min", .number()), .required("max", .number()),
                .optional("tooFew", .boolean, "True if there is only one sample."),
              ])))
        ]))
    ])

  /// The history of a data type (R15, R17).
  package static let series = Endpoint.get(
    "/data/series", "series", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "One data type's history, raw or by hour, day, week or month; oldest first.",
    query: [.required("type", .dataType, "The data type.")] + QueryParameter.period + [
      .optional(
        "granularity", .choice(["raw", "hour", "day", "week", "month"]), "`raw` by default."),
      .optional("cursor", .text, "The `next` of the previous page."),
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
                  "Raw points only: the `deviceID`; null for manual entries."),
                .optional("count", .count), .optional("mean", .number()),
                .optional("min", .number()), .optional("max", .number()),
              ]))),
          .optional("next", .text, "Present if there are more entries: pass it as `cursor`."),
        ]))
    ])

  /// Compares the person's values with those of others of the same age (DAT-4).
  package static let compare = Endpoint.get(
    "/data/compare", "compare", at: .data4help,
    for: .singleUser(otherwise: .forbidden("Wrong parameters")),
    "Your values of the last 30 closed days, with the mean of people of the same age band "
      + "if it is based on more than 1000 people, and the reference range of the age. Not a "
      + "diagnosis.",
    query: [.required("type", .dataType, "A numeric data type.")],
    answers: [
      .json(
        .object([
          .required("type", .dataType), .required("unit", .text),
          .required("from", .dateTime), .required("to", .dateTime),
          .required("ageBand", .oneOf(AgeBand.all.map(\.description))),
          .required(
            "own",
            JSONSchema.object([
              .required("mean", .number(), "The mean of the daily values."),
              .required("mark", .mark),
              .required(
                "days",
                .array(
                  of: .object([
                    .required("date", .date),
                    .required(
                      "value", .number(), "The daily mean, or the sum for additive types."),
                    .required("mark", .mark),
                  ]))),
            ]).nullable, "Null if you have no data in the period."),
          .optional(
            "ownMissing", .oneOf(MissingValuesReason.allCases.map(\.rawValue)),
            "Why `own` is null: no sample of the type is stored; the type is switched "
              + "off; all samples belong to days that are not closed yet; all are older than "
              + "the period."),
          .required(
            "others",
            JSONSchema.object([
              .required("people", .count, "The approximate number, rounded to tens."),
              .required("mean", .number()),
              .required("releasedAt", .dateTime),
            ]).nullable, "Null unless it is based on more than 1000 people."),
          .optional("reason", .oneOf(["too few people"]), "Why `others` is null."),
          .required(
            "reference",
            JSONSchema.object([
              .required("from", .number().nullable), .required("to", .number()),
              .required("source", .text),
            ]).nullable, "Null if no range is known for the type and age."),
        ]))
    ])

  /// The storage quota (DAT-5).
  package static let quota = Endpoint.get(
    "/data/quota", "quota", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "The used part of the storage quota for samples.",
    answers: [
      .json(
        .object([
          .required("bytesUsed", .count), .required("bytesMax", .count),
          .required("oldest", .dateTime.nullable, "The oldest sample's time."),
        ]))
    ])

  /// The record of accesses: recipients, data and times (REQ-5, NFR-6).
  package static let accesses = Endpoint.get(
    "/data/accesses", "accesses", at: .data4help, for: .singleUser(otherwise: .wrongToken),
    "Every delivery of your data to others, including emergencies, newest first; "
      + "optionally aggregated.",
    query: QueryParameter.paging + [
      .optional("by", .choice(["day"]), "Aggregates deliveries by recipient and day, in `days`.")
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
            "`deleted account` once the third party is deleted; omitted for emergency "
              + "contacts and the emergency number, which are aggregated together."),
          .optional("piva", .text, "`deleted account` once; otherwise as `company_name`."),
          .required("dataTypes", .array(of: .dataType)),
          .required("samples", .count), .required("deliveries", .count),
        ])), "With `by=day`; the sums of the current day still grow."),
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
            "`deleted account` once the third party is deleted; omitted for an emergency "
              + "contact and for the emergency number."),
          .optional("piva", .text, "`deleted account` once; otherwise as `company_name`."),
          .optional("reqID", .uuid), .optional("episodeID", .uuid, "Of an emergency."),
          .optional("contact", .text, "The name of an emergency contact."),
          .required("dataTypes", .array(of: .dataType)),
          .required("samples", .count),
          .required(
            "format", .text,
            "`name and email`: those of a checked-in runner, delivered to the organiser "
              + "without samples."),
        ]))),
    .optional("next", .text),
  ])
}

extension JSONSchema {
  static let count = integer(minimum: 0)

  /// A value's relation to the reference range; null without a range.
  fileprivate static let mark = oneOf(ReferenceRange.Mark.allCases.map(\.rawValue)).nullable
}
