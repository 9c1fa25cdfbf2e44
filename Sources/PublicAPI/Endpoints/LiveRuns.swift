import HTTP
import JSON

extension Endpoint {
  /// Runs as they are watched (R50-R52, RUN-5 to RUN-8, RUN-11, RUN-12, RUN-15).
  static let liveRuns: [Endpoint] = [
    .specifyRun, .readPositions, .runPlacings, .watchRun, .watchOwnRun, .pauseSharing,
  ]

  /// The run with its path.
  package static let specifyRun = Endpoint.post(
    "/t4r/active/spec", "specifyRun", at: .track4run, for: .anyone,
    "A listed run with its path and how many are watching it.",
    body: .json(.object([.required("runID", .runIdentifier)])),
    answers: [
      .json(
        .object([
          .required("runID", .runNumber), .required("code", .text), .required("runName", .text),
          .optional("description", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("enrolUntil", .dateTime), .required("participants", .count),
          .required("enrolled", .count), .required("state", .runState),
          .required("organiser", .text), .required("length", .number(minimum: 0)),
          .required("watching", .count, watchingMeaning),
          .optional("clausesVersion", .count, "Of the clauses that one accepts by joining."),
          .optional("picture", .text, "Where the picture of the run is, if it has one."),
          .required("path", .array(of: .object([.required("coordinate", .text)]))),
        ]))
    ],
    errors: [.wrongRunID]
  ).withoutKey().onlyReading().keptForMoments()

  /// What `watching` counts (RUN-15).
  fileprivate static let watchingMeaning =
    "Streams that are open on this run, and addresses that polled it within the last minute, "
    + "which are estimated and kept nowhere."

  /// The live positions by polling.
  package static let readPositions = Endpoint.post(
    "/t4r/active/specUpdate", "readPositions", at: .track4run, for: .anyone,
    "The positions of all runners, or of those whom one knows. None before the start; after the "
      + "end the last ones.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .optional(
          "runners",
          .array(
            of: .object([
              .optional("name", .string(lengthMax: 200), "As chosen for the run, or the number."),
              .optional(
                "fullName", .string(lengthMax: 200),
                "Of the profile; finds runners who allow that alone, all who have the name."),
              .optional("email", .email), .optional("fc", .string(lengthMax: 32)),
            ]), countMin: 1, countMax: 20),
          "Exactly one of the four each. Runners who are not in the run, or chose not to be found, "
            + "are left out; many different questions have to wait."),
      ])),
    answers: [.json(.live("runners"))],
    errors: [
      .wrongRunID,
      ErrorAnswer(
        .tooManyRequests, "Too many requests", "Too many different people were looked for."),
    ]
  ).withoutKey().onlyReading().keptForMoments().countingSpectators()

  /// The placings (RUN-5).
  package static let runPlacings = Endpoint.get(
    "/t4r/active/placings", "runPlacings", at: .track4run, for: .anyone,
    "The runners who have started by place, the first one first; equal ones share a place.",
    query: [.watchedRun],
    answers: [.json(.live("placings"))], errors: [.unlistedRun]
  ).keptForMoments().countingSpectators()

  /// The live positions as they come (R52).
  package static let watchRun = Endpoint.get(
    "/t4r/active/stream", "watchRun", at: .track4run, for: .anyone,
    "Server-sent events: `positions` and `placings`, first whole and then what has changed, once a "
      + "second at most; `ended` when the run is over.",
    query: [.watchedRun],
    answers: [
      .other(
        "text/event-stream",
        """
        `positions`: {number, full: [[number, name, status, latitudeE5, longitudeE5, metres, \
        seconds], …]}, then {number, moved: [[number and the four differences], …], replaced: \
        […], gone: [numbers]}; changes lead on from the number before. status: 0 checked in, \
        1 running, 2 off course, 3 signal lost, 4 finished, 5 paused, 6 did not start, 7 did not \
        finish. `placings`: {number, watching, full: [[number, place], …]}, then changed and gone.
        """)
    ],
    errors: [.unlistedRun]
  ).streaming()

  /// The organiser watches (RUN-8).
  package static let watchOwnRun = Endpoint.get(
    "/t4r/org/live", "watchOwnRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Where the runners of one's run are, with the health data that they share with its organiser; "
      + "who organises along sees positions only.",
    query: [.watchedRun],
    answers: [.json(.live("runners"))], errors: [.foreignRun])

  /// A runner hides (RUN-12).
  package static let pauseSharing = Endpoint.post(
    "/t4r/my/pause", "pauseSharing", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Hides one's position from spectators, or shows it again; the result counts all the same.",
    body: .json(
      .object([.required("runID", .runIdentifier), .required("paused", .boolean)])),
    answers: [.message("Settings updated", and: [.required("paused", .boolean)])],
    errors: [
      ErrorAnswer(.notFound, "Not found", "One is not enrolled in such a run, or it is over.")
    ])
}

extension QueryParameter {
  /// The run that is looked at.
  fileprivate static let watchedRun = QueryParameter.required(
    "runID", .integer(1...Int.max), "The run.")
}

extension JSONSchema {
  /// A run at this moment with a list of its runners.
  fileprivate static func live(_ list: String) -> JSONSchema {
    .object([
      .required("runID", .runNumber), .required("state", .runState),
      .required("watching", .count, Endpoint.watchingMeaning),
      .required(list, .array(of: .liveRunner)),
    ])
  }

  /// A runner at this moment.
  private static let liveRunner = object([
    .optional(
      "number", .count,
      "In this run; not of a runner who was asked for by full name, email or fiscal code."),
    .required("runnerName", .text, "As chosen, else the number; or how one asked for the runner."),
    .required(
      "status",
      .oneOf([
        "checked in", "running", "off course", "signal lost", "finished", "paused",
        "did not start", "did not finish",
      ])),
    .optional("coordinate", .text, "Once there is one, and not while paused."),
    .optional("time", .dateTime, "Of that coordinate."),
    .optional("place", .count), .optional("distance", .number(minimum: 0), "Metres on the course."),
    .optional("seconds", .number(), "Since the start of the run."),
    .optional("averagePace", .number(), "Seconds a kilometre."),
    .optional("currentPace", .number(), "The same of the last minute."),
    .optional("finishTime", .dateTime),
    .optional("paused", .boolean, "To organisers."),
    .optional("heartRate", .number(), "Where the runner allowed it."),
    .optional("heartRateTime", .dateTime), .optional("meanHeartRate", .number()),
    .optional("activeEnergy", .number(), "Kilocalories."),
  ])
}
