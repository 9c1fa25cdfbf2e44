import Domain
import HTTP
import JSON

extension Endpoint {
  /// Endpoints for spectators of runs (R50-R52, RUN-5 to RUN-8, RUN-11, RUN-12, RUN-15).
  static let liveRuns: [Endpoint] = [
    .specifyRun, .readPositions, .runPlacings, .watchRun, .watchOwnRun, .pauseSharing,
  ]

  /// Reads a run with its path.
  package static let specifyRun = Endpoint.post(
    "/t4r/active/spec", "specifyRun", at: .track4run, for: .anyone,
    "A listed run with its path and its number of spectators.",
    body: .json(RunBody.self),
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
          .optional("clausesVersion", .count, "The version of the clauses that joining accepts."),
          .optional("picture", .text, "The URL of the run's picture, if any."),
          .required("path", .array(of: .object([.required("coordinate", .text)]))),
        ]))
    ],
    errors: [.wrongRunID]
  ).withoutKey().onlyReading().keptForMoments()

  /// The meaning of `watching` (RUN-15).
  fileprivate static let watchingMeaning =
    "Open streams of this run, and addresses that polled it within the last minute; the "
    + "latter are estimated and not stored."

  /// Polls the live positions.
  package static let readPositions = Endpoint.post(
    "/t4r/active/specUpdate", "readPositions", at: .track4run, for: .anyone,
    "The positions of all runners, or of those that you name. None before the start; after "
      + "the end the last ones.",
    body: .json(ReadPositionsBody.self),
    answers: [.json(.live("runners"))],
    errors: [
      .wrongRunID,
      ErrorAnswer(
        .tooManyRequests, "Too many requests", "Too many different people were searched."),
    ]
  ).withoutKey().onlyReading().keptForMoments().countingSpectators()

  /// The ranking of a run (RUN-5).
  package static let runPlacings = Endpoint.get(
    "/t4r/active/placings", "runPlacings", at: .track4run, for: .anyone,
    "The runners who have started, in ranking order; equal ones share a place.",
    query: [.watchedRun],
    answers: [.json(.live("placings"))], errors: [.unlistedRun]
  ).keptForMoments().countingSpectators()

  /// Streams the live positions (R52).
  package static let watchRun = Endpoint.get(
    "/t4r/active/stream", "watchRun", at: .track4run, for: .anyone,
    "Server-sent events: `positions` and `placings`, first complete and then as changes, "
      + "at most once a second; `ended` when the run is over.",
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

  /// Streams the positions to the organiser (RUN-8).
  package static let watchOwnRun = Endpoint.get(
    "/t4r/org/live", "watchOwnRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "The positions of the runners in your run, with the health data that they share with "
      + "its organiser; a co-organiser sees positions only.",
    query: [.watchedRun],
    answers: [.json(.live("runners"))], errors: [.foreignRun])

  /// Hides a runner's position (RUN-12).
  package static let pauseSharing = Endpoint.post(
    "/t4r/my/pause", "pauseSharing", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Hides your position from spectators, or shows it again; the result counts in any case.",
    body: .json(PauseSharingBody.self),
    answers: [.message("Settings updated", and: [.required("paused", .boolean)])],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run, or it is over.")
    ])
}

extension QueryParameter {
  /// The run that the caller watches.
  fileprivate static let watchedRun = QueryParameter.required(
    "runID", .integer(1...Int.max), "The run.")
}

extension JSONSchema {
  /// The current state of a run with a list of its runners.
  fileprivate static func live(_ list: String) -> JSONSchema {
    .object([
      .required("runID", .runNumber), .required("state", .runState),
      .required("watching", .count, Endpoint.watchingMeaning),
      .required(list, .array(of: .liveRunner)),
    ])
  }

  /// The current state of a runner.
  private static let liveRunner = object([
    .optional(
      "number", .count,
      "The number in this run; omitted for a runner requested by full name, email or "
        + "fiscal code."),
    .required(
      "runnerName", .text,
      "The chosen name, or else the number; or the term by which you requested the runner."),
    .required(
      "status",
      .oneOf([
        "checked in", "running", "off course", "signal lost", "finished", "paused",
        "did not start", "did not finish",
      ])),
    .optional(
      "coordinate", .text, "Omitted before the first position and while sharing is paused."),
    .optional("time", .dateTime, "The time of that coordinate."),
    .optional("place", .count),
    .optional("distance", .number(minimum: 0), "Metres along the course."),
    .optional("seconds", .number(), "Since the start of the run."),
    .optional("averagePace", .number(), "Seconds per kilometre."),
    .optional("currentPace", .number(), "The pace of the last minute."),
    .optional("finishTime", .dateTime),
    .optional("paused", .boolean, "To organisers."),
    .optional("heartRate", .number(), "If the runner allows it."),
    .optional("heartRateTime", .dateTime), .optional("meanHeartRate", .number()),
    .optional("activeEnergy", .number(), "Kilocalories."),
  ])
}

/// The body of `POST /t4r/active/specUpdate`.
package struct ReadPositionsBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The searched runners; nil for all runners.
  package let sought: [SoughtRunner]?

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .optional(
      "runners", JSONForm<SoughtRunner>.document.list(countMin: 1, countMax: 20),
      "Each with exactly one of the four fields. Runners who are not in the run, or "
        + "chose not to be found, are omitted; many different queries are rate-limited."),
    make: ReadPositionsBody.init)
}

/// A search for a runner by one known property (RUN-7).
package enum SoughtRunner: Hashable, JSONDocumented {
  /// By the name that the runner chose for the run, or the number.
  case name(String)
  /// By the full name, if the runner allows it.
  case fullName(FullName)
  /// By email or fiscal code.
  case known(SingleRequestAddressee)

  private init(
    name: String?, fullName: FullName?, email: EmailAddress?, fiscalCode: FiscalCode?
  ) throws(JSONError) {
    let given: [SoughtRunner?] = [
      name.map { .name($0) }, fullName.map { .fullName($0) },
      email.map { .known(.email($0)) }, fiscalCode.map { .known(.fiscalCode($0)) },
    ]
    let present = given.compactMap(\.self)
    guard let sought = present.first, present.count == 1 else {
      throw .refused("Give exactly one of name, fullName, email and fc of each runner.")
    }
    self = sought
  }

  /// The fields.
  package static let document = JSONDocument(
    .optional("name", .soughtName, "The name chosen for the run, or the number."),
    .optional(
      "fullName", .fullName,
      "The full name in the profile; finds all runners with this name who allow it."),
    .optional("email", .email), .optional("fc", .soughtFiscalCode),
    make: SoughtRunner.init)
}

extension JSONForm<String> {
  /// A name or number as spectators see it.
  fileprivate static var soughtName: Self {
    Self(.string(lengthMax: RunnerName.lengthMax)) { (reader) throws(JSONError) in
      try reader.string(of: 1...RunnerName.lengthMax)
    }
  }
}

extension JSONForm<FiscalCode> {
  /// A fiscal code in a search.
  fileprivate static var soughtFiscalCode: Self {
    .parsed(.string(lengthMax: 32)) { (text) throws(FiscalCodeError) in
      try FiscalCode(text)
    }
  }
}

/// The body of `POST /t4r/my/pause`.
package struct PauseSharingBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// Whether spectators see no position of the runner.
  package let isPaused: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier), .required("paused", .boolean),
    make: PauseSharingBody.init)
}
