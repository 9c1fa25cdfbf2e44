import Domain
import HTTP
import JSON

extension Endpoint {
  /// Endpoints for runners (R44-R46, RUN-3, RUN-9).
  static let runJoining: [Endpoint] = [
    .joinRun, .leaveRun, .listJoinedRuns, .changeRunnerChoice,
  ]

  /// Enrols a single user in a run (R45, R46).
  package static let joinRun = Endpoint.post(
    "/t4r/active/join", "joinRun", at: .track4run,
    for: .singleUser(otherwise: .wrongCredentials), "Enrols you in a listed run.",
    body: .json(JoinRunBody.self),
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
                .required("detail", .text, "An explanation of the warning."),
              ])), "Warnings, which do not prevent joining."),
        ])
    ],
    errors: [.wrongRunID])

  /// Leaves a run (RUN-3).
  package static let leaveRun = Endpoint.post(
    "/t4r/active/leave", "leaveRun", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Leaves a run, at any time. After your finish the result stays in the list of results.",
    body: .json(LeaveRunBody.self),
    answers: [
      .message(
        "Action successful",
        and: [.required("resultKept", .boolean, "Whether a result exists and stays in the list.")])
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run.")])

  /// Changes a runner's choices (RUN-7).
  package static let changeRunnerChoice = Endpoint.post(
    "/t4r/my/settings", "changeRunnerChoice", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Changes the choices made on joining, at any time, also during the run; omitted fields "
      + "are unchanged.",
    body: .json(RunnerChoiceBody.self),
    answers: [
      .message(
        "Settings updated",
        and: [
          .optional("runnerName", .text, "If a name is chosen."),
          .required("showHealth", .boolean), .required("findable", .boolean),
          .required("findableByName", .boolean),
        ])
    ],
    errors: [ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run.")])

  /// Lists a runner's runs (RUN-9).
  package static let listJoinedRuns = Endpoint.get(
    "/t4r/my/list", "listJoinedRuns", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "The runs in which you are enrolled, newest start first, including past ones.",
    query: QueryParameter.paging,
    answers: [
      .list(
        "runs",
        of: [
          .required("runID", .runNumber), .required("code", .text), .required("runName", .text),
          .required("organiser", .text), .optional("place", .text),
          .required("startTime", .dateTime), .required("endTime", .dateTime),
          .required("state", .runState), .required("cancelled", .boolean),
          .required("number", .count, "Your number in this run."),
          .optional("runnerName", .text, "The name chosen for this run, if any."),
          .required("showHealth", .boolean), .required("findable", .boolean),
          .required("findableByName", .boolean),
          .required("joinedAt", .dateTime), .required("checkedIn", .boolean),
          .optional("clausesVersion", .count, "The version of the clauses that you accepted."),
          .optional("clausesAcceptedAt", .dateTime),
        ])
    ])
}

/// The meaning of `findableByName` (RUN-7).
private let findableByNameMeaning =
  "Whether people who know the full name in your profile can also find you; only applies "
  + "if you are findable."

/// The body of `POST /t4r/active/join`.
package struct JoinRunBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The name in this run; nil for the number.
  package let runnerName: RunnerName?
  /// Whether spectators see heart rate and energy.
  package let showsHealth: Bool
  /// Whether spectators can search for the runner.
  package let isFindable: Bool
  /// Whether spectators can search by the real name as well.
  package let isFindableByName: Bool
  /// The version of the run's clauses that the runner accepts.
  package let clausesVersion: Int32?

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .optional(
      "runnerName", .runnerName,
      "Your name in this run; by default only the number is shown."),
    .optional(
      "showHealth", .boolean, "Whether spectators see heart rate and energy; default false.",
      else: false),
    .optional(
      "findable", .boolean,
      "Whether people who know your name, email or fiscal code can find you; true by default.",
      else: true),
    .optional(
      "findableByName", .boolean, findableByNameMeaning + " False by default.", else: false),
    .optional(
      "clausesVersion", .positive,
      "Accepts this version of the run's clauses; required if the run has clauses."),
    make: JoinRunBody.init)
}

/// The body of `POST /t4r/active/leave`.
package struct LeaveRunBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// Whether a remaining result keeps the chosen name.
  package let keepsName: Bool

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .optional(
      "keepName", .boolean,
      "Whether a remaining result is shown under the chosen name; otherwise as `deleted runner`.",
      else: false),
    make: LeaveRunBody.init)
}

/// The body of `POST /t4r/my/settings`: absent fields keep their value.
package struct RunnerChoiceBody: JSONDocumented {
  /// The run.
  package let runID: Int64
  /// The change of the name in this run.
  package let runnerName: RunChanges.Remark<RunnerName>
  /// Whether spectators see heart rate and energy.
  package let showsHealth: Bool?
  /// Whether spectators can search for the runner.
  package let isFindable: Bool?
  /// Whether spectators can search by the real name as well.
  package let isFindableByName: Bool?

  /// Whether all choices are absent.
  package var isEmpty: Bool {
    runnerName == .kept && showsHealth == nil && isFindable == nil && isFindableByName == nil
  }

  /// The fields.
  package static let document = JSONDocument(
    .required("runID", .runIdentifier),
    .optional(
      "runnerName", .changedRunnerName,
      "Your name in this run; an empty text shows only the number.", else: .kept),
    .optional("showHealth", .boolean, "Whether spectators see heart rate and energy."),
    .optional("findable", .boolean, "Whether you can be found by name, email or fiscal code."),
    .optional("findableByName", .boolean, findableByNameMeaning),
    make: RunnerChoiceBody.init)
}
