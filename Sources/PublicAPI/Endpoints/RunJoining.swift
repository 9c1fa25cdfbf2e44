import HTTP
import JSON

extension Endpoint {
  /// What runners do (R44-R46, RUN-3, RUN-9).
  static let runJoining: [Endpoint] = [
    .joinRun, .leaveRun, .listJoinedRuns, .changeRunnerChoice,
  ]

  /// What `findableByName` means (RUN-7).
  fileprivate static let findableByNameMeaning =
    "Whether who knows the full name of one's profile finds one as well, if one is findable."

  /// A single user takes a place (R45, R46).
  package static let joinRun = Endpoint.post(
    "/t4r/active/join", "joinRun", at: .track4run,
    for: .singleUser(otherwise: .wrongCredentials), "Takes a place in a run of the list.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .optional(
          "runnerName", .string(lengthMax: 200),
          "What one is called in this run; the number alone is shown if left out."),
        .optional("showHealth", .boolean, "Whether spectators see heart rate and energy; else no."),
        .optional(
          "findable", .boolean,
          "Whether who knows one's name, email or fiscal code finds one; else yes."),
        .optional("findableByName", .boolean, findableByNameMeaning + " Else no."),
        .optional(
          "clausesVersion", .integer(1...Int(Int32.max)),
          "Accepts the run's clauses in this version; needed where the run has clauses."),
      ])),
    answers: [
      .message(
        "Run joined successfully",
        and: [
          .required("number", .count),
          .required(
            "warnings",
            .array(
              of: .object([
                .required("warning", .oneOf(["no position", "ask a doctor"])),
                .required("detail", .text, "What it means, for a person."),
              ])), "What one should know and may join with all the same."),
        ])
    ],
    errors: [.wrongRunID])

  /// A runner leaves a run (RUN-3).
  package static let leaveRun = Endpoint.post(
    "/t4r/active/leave", "leaveRun", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Leaves a run, at any time. After one's finish the result stays in the list of results.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .optional(
          "keepName", .boolean,
          "Whether a result that stays is shown under the chosen name; else as `deleted runner`."),
      ])),
    answers: [
      .message(
        "Action successful",
        and: [.required("resultKept", .boolean, "Whether there is a result, which stays.")])
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "One is not enrolled in such a run.")])

  /// A runner chooses anew (RUN-7).
  package static let changeRunnerChoice = Endpoint.post(
    "/t4r/my/settings", "changeRunnerChoice", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Changes what one chose on joining, at any time, also during the run: what is left out stays.",
    body: .json(
      .object([
        .required("runID", .runIdentifier),
        .optional(
          "runnerName", .string(lengthMin: 0, lengthMax: 200),
          "What one is called in this run; an empty text leaves the number alone."),
        .optional("showHealth", .boolean, "Whether spectators see heart rate and energy."),
        .optional(
          "findable", .boolean, "Whether one is found by name, email or fiscal code."),
        .optional("findableByName", .boolean, findableByNameMeaning),
      ])),
    answers: [
      .message(
        "Settings updated",
        and: [
          .optional("runnerName", .text, "If one is chosen."),
          .required("showHealth", .boolean), .required("findable", .boolean),
          .required("findableByName", .boolean),
        ])
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "One is not enrolled in such a run.")])

  /// A runner looks at the runs (RUN-9).
  package static let listJoinedRuns = Endpoint.get(
    "/t4r/my/list", "listJoinedRuns", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "The runs that one is enrolled in, the newest start first, those that are over too.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "runs",
        of: [
          .required("runID", .runNumber), .required("code", .text), .required("runName", .text),
          .required("organiser", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("state", .runState), .required("cancelled", .boolean),
          .required("number", .count, "One's own, in this run."),
          .optional("runnerName", .text, "As chosen for this run, if one was."),
          .required("showHealth", .boolean), .required("findable", .boolean),
          .required("findableByName", .boolean),
          .required("joinedAt", .dateTime), .required("checkedIn", .boolean),
          .optional("clausesVersion", .count, "Of the clauses that one accepted."),
          .optional("clausesAcceptedAt", .dateTime),
        ])
    ])
}
