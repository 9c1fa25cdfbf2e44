import HTTP
import JSON

extension Endpoint {
  /// What organisers do with their runs (R36-R38, RUN-1, RUN-2, RUN-9).
  static let runOrganising: [Endpoint] = [
    .createRun, .giveRunPath, .checkRunPath, .updateRun, .cancelRun, .setCoOrganiser, .listOwnRuns,
    .listParticipants,
  ]

  /// A third party lays down a run (R37, R38).
  package static let createRun = Endpoint.post(
    "/t4r/org/create", "createRun", at: .track4run, for: .organiser,
    "Makes a run, which nobody finds until it has a path.",
    body: .json(
      .object([
        .required("runName", .string(lengthMax: 200)),
        .required("startTime", .dateTime, "In the future."),
        .required("endTime", .dateTime, "After the start."),
        .required("participants", .integer(2...1_000_000), "How many may join."),
        .optional("description", .string(), "On several lines if need be."),
        .optional("enrolUntil", .dateTime, "The last moment to enrol; the start if left out."),
        .optional("place", .string(lengthMax: 200), "Where it is, in words."),
        .optional(
          "clauses", .string(lengthMax: 10_000),
          "What runners have to accept to join, on several lines if need be."),
      ])),
    answers: [.message("Info set successfully", and: [.required("runID", .runNumber)])],
    errors: [
      ErrorAnswer(
        .tooManyRequests, "Too many requests", "The organiser has made 200 runs that day.")
    ])

  /// The media type of a GPX file.
  package static let gpxType = "application/gpx+xml"

  /// An organiser draws the path (R38, RUN-1, RUN-4).
  package static let giveRunPath = Endpoint.post(
    "/t4r/org/path", "giveRunPath", at: .track4run, for: .organiser,
    "Gives a run its path, and with the first one its code: from then on everybody finds it. The "
      + "path may be a GPX file too, of which the first track counts, else the first route.",
    query: [.optional("runID", .integer(1...Int.max), "The run, for a GPX file.")],
    body: .jsonOrFile(
      .object([
        .required("runID", .runIdentifier),
        .required(
          "path",
          .array(
            of: .object([.required("coordinate", .string(lengthMax: 64), "`lat,lon`")]),
            countMax: 20_000),
          "From the start to the finish; laps are drawn as often as they are run."),
      ]), mediaTypes: [gpxType], bytesMax: 4 * 1024 * 1024),
    answers: [.message("Run created successfully", and: [.required("code", .text)])],
    errors: [
      .wrongRunID, .invalidPath,
      ErrorAnswer(
        .conflict, "Wrong state",
        "The run has begun or was cancelled, or five others of that day are published."),
      tooManyChanges,
    ])

  /// An organiser checks a path while it is drawn (RUN-17).
  package static let checkRunPath = Endpoint.post(
    "/t4r/org/path/check", "checkRunPath", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Checks a path by the rules of publishing, without publishing it: all faults with their legs, "
      + "and the length.",
    body: .json(
      .object([
        .optional(
          "runID", .runIdentifier,
          "The run, whose day's other runs the path is compared with."),
        .optional(
          "startTime", .dateTime, "The start, for a run that is not created yet, or is moved."),
        .required(
          "path",
          .array(
            of: .object([.required("coordinate", .string(lengthMax: 64), "`lat,lon`")]),
            countMax: 20_000)),
      ])),
    answers: [
      .json(
        .object([
          .required("valid", .boolean, "Whether it could be published by its course."),
          .required("length", .number(minimum: 0), "Metres."),
          .required(
            "faults",
            .array(
              of: .object([
                .required(
                  "fault",
                  .oneOf([
                    "too few points", "too many points", "leg too long", "too long",
                    "along another run",
                  ])),
                .required(
                  "legs", .array(of: .count),
                  "The legs at fault; leg n leads from `path[n]` to the next point. Of `too long` "
                    + "the one with which it becomes so."),
                .required("detail", .text, "What is wrong, for a person."),
              ]))),
        ]))
    ],
    errors: [.foreignRun]
  ).withoutKey().onlyReading()

  private static let tooManyChanges = ErrorAnswer(
    .tooManyRequests, "Too many requests", "Its runners were told of twenty changes that day.")

  /// An organiser changes what was laid down (RUN-2).
  package static let updateRun = Endpoint.post(
    "/t4r/org/update", "updateRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Changes a run that has not begun: what is left out stays.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .optional("runName", .string(lengthMax: 200)),
        .optional("startTime", .dateTime, "In the future."),
        .optional("endTime", .dateTime, "After the start."),
        .optional("participants", .integer(2...1_000_000), "Not fewer than have joined."),
        .optional("description", .string(), "An empty text takes it away."),
        .optional(
          "enrolUntil", .dateTime,
          "Left out, it goes with the start if it was the start, and else stays, up to the start."),
        .optional("place", .string(lengthMax: 200), "An empty text takes it away."),
        .optional(
          "clauses", .string(lengthMax: 10_000),
          "Another text is a new version, for those who join from then on; an empty one takes the "
            + "clauses away."),
      ])),
    answers: [
      .message(
        "Run updated successfully",
        and: [
          .required(
            "removed", .count,
            "Runners who are in another run at the new times and so lost the place.")
        ])
    ],
    errors: [
      .foreignRun,
      ErrorAnswer(
        .conflict, "Wrong state",
        "It has begun or was cancelled, more have joined, or it cannot be published on that day."),
      tooManyChanges,
    ])

  /// An organiser calls a run off (RUN-2).
  package static let cancelRun = Endpoint.post(
    "/t4r/org/cancel", "cancelRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Cancels a run, which nobody finds any more; one that is on too.",
    body: .json(.object([.required("runID", .runIdentifier)])),
    answers: [.message("Action successful")],
    errors: [
      .foreignRun, ErrorAnswer(.conflict, "Wrong state", "It is over or was cancelled before."),
    ])

  /// An organiser names a company that organises the run too (RUN-2).
  package static let setCoOrganiser = Endpoint.post(
    "/t4r/org/coorganiser", "setCoOrganiser", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Lets another company change, cancel and invite to a run and see positions, or no longer.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .required("email", .email, "Of the company."),
        .required("allowed", .boolean, "A company may take itself off."),
      ])),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(
        .notFound, "Not found",
        "There is no such run, or another company created it, or no company has this email."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "It is over or was cancelled, the company created it, or twenty others organise it too."),
    ], rate: .guarded)

  /// An organiser looks at what it organises (RUN-9).
  package static let listOwnRuns = Endpoint.get(
    "/t4r/org/list", "listOwnRuns", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "The runs that one organises, the newest start first, published or not.",
    query: [
      .optional("when", .word(["past", "present", "future"]), "All if left out."),
      .optional("name", .text, "A part of its name."),
    ] + QueryParameter.paging,
    answers: [
      .list(
        "runs",
        of: [
          .required("runID", .runNumber), .required("runName", .text),
          .optional("code", .text, "Once it has a path."),
          .optional("description", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("enrolUntil", .dateTime), .required("participants", .count),
          .required("enrolled", .count), .required("state", .runState),
          .required("published", .boolean, "Whether it has a path: only then others find it."),
          .required("cancelled", .boolean),
          .optional("clausesVersion", .count, "Of its clauses, if it has some."),
          .required("coOrganised", .boolean, "Whether another company created it."),
          .required(
            "coOrganisers", .array(of: .text),
            "What the companies are called that organise it beside the one that created it."),
        ])
    ])

  /// An organiser looks at who is enrolled (RUN-9).
  package static let listParticipants = Endpoint.get(
    "/t4r/org/participants", "listParticipants", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "The runners of a run that one organises, the last one who joined first. From the accepted "
      + "check-in on with name and email, which are recorded in the runner's accesses; after the "
      + "start also those who were removed since they had not checked in.",
    query: [.required("runID", .integer(1...Int.max), "The run.")] + QueryParameter.paging,
    answers: [
      .list(
        "participants",
        of: [
          .required("number", .count, "Of the runner, in this run."),
          .optional("runnerName", .text, "As chosen for this run, if one was."),
          .optional(
            "full_name", .text,
            "Of a runner who checked in, to the company that created the run; not once the runner "
              + "ends the request."),
          .optional("email", .text, "Likewise."),
          .required("joinedAt", .dateTime), .required("checkedIn", .boolean),
          .required("removed", .boolean, "Whether one had not checked in by the start."),
          .optional("clausesVersion", .count, "Of the clauses that the runner accepted."),
          .optional("clausesAcceptedAt", .dateTime),
        ])
    ],
    errors: [.foreignRun])
}

extension Caller {
  /// A third party, in the words of the design document.
  static let organiser = Caller.thirdParty(otherwise: .wrongCredentials)
}

extension ErrorAnswer {
  /// 401 with the design document's text for a wrong token.
  static let wrongCredentials = ErrorAnswer(
    .unauthorized, "Wrong credentials",
    "The token is missing, wrong or of the wrong kind of account.")
  /// 401 where the design document names the run.
  package static let wrongRunID = ErrorAnswer(
    .unauthorized, "Wrong runID", "The run is unknown or another's, or not for this caller now.")
  /// 401 for a path that cannot be that of a run (RUN-1).
  package static let invalidPath = ErrorAnswer(
    .unauthorized, "Invalid path",
    "Fewer than two points, too long, or half or more of it another's of the same day.")
  /// 404 where the design document names nothing else.
  static let foreignRun = ErrorAnswer(
    .notFound, "Not found", "There is no such run, or it is another's.")
}

extension JSONSchema {
  /// The number of a run as it is answered.
  static let runNumber = integer(minimum: 1)
  /// The number of a run as it is taken.
  static let runIdentifier = anyOf([integer(minimum: 1), string(lengthMax: 19)])
    .described("The run's number, also as a string of digits.")
  static let runState = oneOf(["open", "live", "ended"])
}
