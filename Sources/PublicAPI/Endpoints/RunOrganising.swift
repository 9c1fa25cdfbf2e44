import Domain
import HTTP
import JSON
import Time

extension Endpoint {
  /// Endpoints for organisers (R36-R38, RUN-1, RUN-2, RUN-9).
  static let runOrganising: [Endpoint] = [
    .createRun, .giveRunPath, .checkRunPath, .updateRun, .cancelRun, .setCoOrganiser, .listOwnRuns,
    .listParticipants,
  ]

  /// Creates a run for a third party (R37, R38).
  package static let createRun = Endpoint.post(
    "/t4r/org/create", "createRun", at: .track4run, for: .organiser,
    "Creates a run, which is not listed until it has a path.",
    body: .json(CreateRunBody.self),
    answers: [.message("Info set successfully", and: [.required("runID", .runNumber)])],
    errors: [
      ErrorAnswer(
        .tooManyRequests, "Too many requests",
        "The organiser has already created 200 runs that day.")
    ])

  /// The media type of a GPX file.
  package static let gpxType = "application/gpx+xml"

  /// Sets the path of a run (R38, RUN-1, RUN-4).
  package static let giveRunPath = Endpoint.post(
    "/t4r/org/path", "giveRunPath", at: .track4run, for: .organiser,
    "Sets a run's path; the first path also creates its code and publishes the run. A GPX "
      + "file is accepted too: its first track is used, or else its first route.",
    query: [.optional("runID", .integer(1...Int.max), "The run, for a GPX file.")],
    body: .jsonOrFile(RunPathBody.self, mediaTypes: [gpxType], bytesMax: 4 * 1024 * 1024),
    answers: [.message("Run created successfully", and: [.required("code", .text)])],
    errors: [
      .wrongRunID, .invalidPath,
      ErrorAnswer(
        .conflict, "Wrong state",
        "The run has begun or was cancelled, or five other runs of that day are already "
          + "published."),
      tooManyChanges,
    ])

  /// Validates a path before it is published (RUN-17).
  package static let checkRunPath = Endpoint.post(
    "/t4r/org/path/check", "checkRunPath", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Checks a path by the rules of publishing without publishing it: returns its length "
      + "and all faults with their legs.",
    body: .json(CheckRunPathBody.self),
    answers: [
      .json(
        .object([
          .required("valid", .boolean, "Whether the path could be published."),
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
                  "The faulty legs; leg n leads from `path[n]` to the next point. For "
                    + "`too long` the leg that exceeds the limit."),
                .required("detail", .text, "An explanation of the fault."),
              ]))),
        ]))
    ],
    errors: [.foreignRun]
  ).withoutKey().onlyReading()

  private static let tooManyChanges = ErrorAnswer(
    .tooManyRequests, "Too many requests",
    "Its runners were already notified of twenty changes that day.")

  /// Changes a run (RUN-2).
  package static let updateRun = Endpoint.post(
    "/t4r/org/update", "updateRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Changes a run that has not begun; omitted fields are unchanged.",
    body: .json(UpdateRunBody.self),
    answers: [
      .message(
        "Run updated successfully",
        and: [
          .required(
            "removed", .count,
            "Runners removed because they are in another run at the new times.")
        ])
    ],
    errors: [
      .foreignRun,
      ErrorAnswer(
        .conflict, "Wrong state",
        "The run has begun or was cancelled, more runners have joined, or it cannot be "
          + "published on that day."),
      tooManyChanges,
    ])

  /// Cancels a run (RUN-2).
  package static let cancelRun = Endpoint.post(
    "/t4r/org/cancel", "cancelRun", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "Cancels a run, also during the run; it is no longer listed.",
    body: .json(RunBody.self),
    answers: [.message("Action successful")],
    errors: [
      .foreignRun,
      ErrorAnswer(.conflict, "Wrong state", "The run is over or was already cancelled."),
    ])

  /// Names another company as co-organiser (RUN-2).
  package static let setCoOrganiser = Endpoint.post(
    "/t4r/org/coorganiser", "setCoOrganiser", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Permits another company to change, cancel and invite to a run and to see positions, "
      + "or withdraws the permission.",
    body: .json(CoOrganiserBody.self),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(
        .notFound, "Not found",
        "The run does not exist, another company created it, or no company has this email."),
      ErrorAnswer(
        .conflict, "Wrong state",
        "The run is over or was cancelled, this company created it, or it already has "
          + "twenty co-organisers."),
    ], rate: .guarded)

  /// Lists the organiser's runs (RUN-9).
  package static let listOwnRuns = Endpoint.get(
    "/t4r/org/list", "listOwnRuns", at: .track4run, for: .thirdParty(otherwise: .wrongToken),
    "The runs that you organise, newest start first, published or not.",
    query: [
      .optional("when", .choice(["past", "present", "future"]), "By default all."),
      .optional("name", .text, "A part of the run's name."),
    ] + QueryParameter.paging,
    answers: [
      .list(
        "runs",
        of: [
          .required("runID", .runNumber), .required("runName", .text),
          .optional("code", .text, "Present once the run has a path."),
          .optional("description", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("enrolUntil", .dateTime), .required("participants", .count),
          .required("enrolled", .count), .required("state", .runState),
          .required("published", .boolean, "Whether the run has a path; only then is it listed."),
          .required("cancelled", .boolean),
          .optional("clausesVersion", .count, "The version of its clauses, if any."),
          .required("coOrganised", .boolean, "Whether another company created it."),
          .required(
            "coOrganisers", .array(of: .text),
            "The names of the co-organising companies."),
        ])
    ])

  /// Lists the runners of a run (RUN-9).
  package static let listParticipants = Endpoint.get(
    "/t4r/org/participants", "listParticipants", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "The runners of a run that you organise, latest enrolment first. Once the check-in is "
      + "accepted, name and email are included, and recorded in the runner's accesses. After "
      + "the start the list also contains runners removed because they had not checked in.",
    query: [.required("runID", .integer(1...Int.max), "The run.")] + QueryParameter.paging,
    answers: [
      .list(
        "participants",
        of: [
          .required("number", .count, "The runner's number in this run."),
          .optional("runnerName", .text, "The name chosen for this run, if any."),
          .optional(
            "full_name", .text,
            "For a checked-in runner, only for the company that created the run, and "
              + "until the runner ends the request."),
          .optional("email", .text, "Likewise."),
          .required("joinedAt", .dateTime), .required("checkedIn", .boolean),
          .required(
            "removed", .boolean,
            "Whether the runner was removed for not checking in before the start."),
          .optional(
            "clausesVersion", .count, "The version of the clauses that the runner accepted."),
          .optional("clausesAcceptedAt", .dateTime),
        ])
    ],
    errors: [.foreignRun])
}

extension Caller {
  /// A third party, with the error text of the design document.
  static let organiser = Caller.thirdParty(otherwise: .wrongCredentials)
}

extension ErrorAnswer {
  /// 401 with the design document's text for a wrong token.
  static let wrongCredentials = ErrorAnswer(
    .unauthorized, "Wrong credentials",
    "The token is missing, wrong or of the wrong kind of account.")
  /// 401 for the cases where the design document names the run.
  package static let wrongRunID = ErrorAnswer(
    .unauthorized, "Wrong runID",
    "The run is unknown, belongs to another organiser, or does not permit this call now.")
  /// 401 for an invalid path of a run (RUN-1).
  package static let invalidPath = ErrorAnswer(
    .unauthorized, "Invalid path",
    "Fewer than two points, too long, or at least half of it shared with another run of "
      + "the same day.")
  /// 404, used if the design document names no other error.
  static let foreignRun = ErrorAnswer(
    .notFound, "Not found", "The run does not exist or belongs to another organiser.")
}

extension JSONSchema {
  /// The number of a run in responses.
  static let runNumber = integer(minimum: 1)
  /// The number of a run in requests.
  static let runIdentifier = anyOf([integer(minimum: 1), string(lengthMax: 19)])
    .described("The run's number, also as a string of digits.")
  static let runState = oneOf(["open", "live", "ended"])
}

/// The body of `POST /t4r/org/create`.
package struct CreateRunBody: JSONDocumented {
  /// The run's name.
  package let name: RunName
  /// The start.
  package let startsAt: Instant
  /// The end.
  package let endsAt: Instant
  /// The maximum number of runners.
  package let participantsMax: Int64
  /// The run's description.
  package let description: RunDescription?
  /// The enrolment deadline; nil for the start.
  package let enrolUntil: Instant?
  /// The location in words.
  package let place: RunName?
  /// The clauses that runners must accept.
  package let clauses: RunClauses?

  /// The fields.
  package static let document = JSONDocument(
    .required("runName", .runName),
    .required("startTime", .dateTime, "In the future."),
    .required("endTime", .dateTime, "After the start."),
    .required("participants", .participants, "The maximum number of runners."),
    .optional("description", .runDescription, "May have several lines."),
    .optional("enrolUntil", .dateTime, "The enrolment deadline; by default the start."),
    .optional("place", .runName, "The location in words."),
    .optional(
      "clauses", .runClauses,
      "The clauses that runners must accept to join; may have several lines."),
    make: CreateRunBody.init)
}

/// The body of `POST /t4r/org/path`.
package struct RunPathBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The points from the start to the finish.
  package let points: [GeoPoint]

  /// Creates the body of a path from another format.
  package init(runID: Int64, points: [GeoPoint]) {
    self.runID = runID
    self.points = points
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .required(
      "path", .path, "From the start to the finish; a lap is repeated as often as it is run."),
    make: RunPathBody.init)
}

/// The body of `POST /t4r/org/path/check`.
package struct CheckRunPathBody: JSONDocumented {
  /// The run whose path is drawn; nil before it is created.
  package let runID: Int64?
  /// The start of the run; nil for the start of the stored run.
  package let startsAt: Instant?
  /// The points from the start to the finish.
  package let points: [GeoPoint]

  /// The fields.
  package static let document = JSONDocument(
    .optional(
      "runID", .runIdentifier, "The run; the path is compared with the other runs of its day."),
    .optional(
      "startTime", .dateTime,
      "The start of a run that is not created yet or will be rescheduled."),
    .required("path", .path),
    make: CheckRunPathBody.init)
}

/// The body of `POST /t4r/org/update`: absent fields keep their value.
package struct UpdateRunBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The changes.
  package let changes: RunChanges

  private init(
    runID: Int64, name: RunName?, startsAt: Instant?, endsAt: Instant?,
    participantsMax: Int64?, description: RunChanges.Remark<RunDescription>,
    enrolUntil: Instant?, place: RunChanges.Remark<RunName>,
    clauses: RunChanges.Remark<RunClauses>
  ) {
    self.runID = runID
    var changes = RunChanges()
    changes.name = name
    changes.startsAt = startsAt
    changes.endsAt = endsAt
    changes.participantsMax = participantsMax
    changes.description = description
    changes.enrolUntil = enrolUntil
    changes.place = place
    changes.clauses = clauses
    self.changes = changes
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .optional("runName", .runName),
    .optional("startTime", .dateTime, "In the future."),
    .optional("endTime", .dateTime, "After the start."),
    .optional("participants", .participants, "At least the number of enrolled runners."),
    .optional("description", .changedRunDescription, "An empty text removes it.", else: .kept),
    .optional(
      "enrolUntil", .dateTime,
      "If omitted: moves with the start if it was equal to the start, otherwise "
        + "unchanged but at most the start."),
    .optional("place", .changedPlace, "An empty text removes it.", else: .kept),
    .optional(
      "clauses", .changedRunClauses,
      "A changed text is a new version for runners who join from then on; an empty "
        + "text removes the clauses.", else: .kept),
    make: UpdateRunBody.init)
}

/// The body of `POST /t4r/org/coorganiser`.
package struct CoOrganiserBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The email of the company.
  package let email: EmailAddress
  /// Whether the company becomes a co-organiser; false withdraws the permission.
  package let isAllowed: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .required("email", .email, "The email of the company."),
    .required(
      "allowed", .boolean, "False withdraws the permission; a company may withdraw its own."),
    make: CoOrganiserBody.init)
}
