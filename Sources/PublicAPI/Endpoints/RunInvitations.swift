import HTTP
import JSON

extension Endpoint {
  /// Inviting to runs by mail (RUN-10).
  static let runInvitations: [Endpoint] = [.inviteAsOrganiser, .inviteAsRunner]

  /// Sends an organiser's invitations to a run.
  package static let inviteAsOrganiser = Endpoint.post(
    "/t4r/org/invite", "inviteAsOrganiser", at: .track4run,
    for: .thirdParty(otherwise: .wrongToken),
    "Invites addresses by mail to a listed run; at most 500 a day, each once per run.",
    body: .invitation(countMax: 100),
    answers: [.message("Action successful")],
    errors: [.foreignRun, .notToBeInvitedTo])

  /// Sends a runner's invitations to a run, under the name chosen for it.
  package static let inviteAsRunner = Endpoint.post(
    "/t4r/active/invite", "inviteAsRunner", at: .track4run,
    for: .singleUser(otherwise: .wrongToken),
    "Invites addresses by mail to a run in which you are enrolled; at most 20 a day, each "
      + "once per run.",
    body: .invitation(countMax: 20),
    answers: [.message("Action successful")],
    errors: [
      ErrorAnswer(.notFound, "Not found", "You are not enrolled in such a run."),
      .notToBeInvitedTo,
    ])
}

extension Endpoint.Body {
  fileprivate static func invitation(countMax: Int) -> Endpoint.Body {
    .json(
      .object([
        .required("runID", .runIdentifier),
        .required(
          "emails", .array(of: .email, countMin: 1, countMax: countMax),
          "No response reveals which of them have an account."),
      ]))
  }
}

extension ErrorAnswer {
  fileprivate static let notToBeInvitedTo = ErrorAnswer(
    .conflict, "Wrong state", "The run has no path, is over or was cancelled.")
}
